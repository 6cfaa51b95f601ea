package dev.spream.sinks;

import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of lines with one owner. Appending is confined to the holder of that owner's lock; everything
 * else is safe for use by many threads.
 *
 * <p>Lines are written at once and made durable together: of the threads that wait, one forces the file for all. A line
 * of which a crash left only a part was never durable, and is removed.
 *
 * <p>No channel is used: an interrupt closes a channel for all threads, and the engine interrupts those that call
 * consumers.
 */
final class DeadLetterFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterFile.class);

    /** The position of a line in the file, without its line end. */
    record Place(long offset, int length) {}

    interface Lines {
        /**
         * Accepts the next line.
         *
         * @throws IllegalArgumentException if it is not a line of this kind; nothing was changed
         */
        void accept(String line, Place place);
    }

    private final ExclusiveFileLock lock;
    private final RandomAccessFile file;
    private final ReentrantLock forcing = new ReentrantLock();
    private long durable; // guarded by forcing
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong forces = new AtomicLong();
    private volatile @Nullable IOException broken;

    private DeadLetterFile(ExclusiveFileLock lock, RandomAccessFile file) {
        this.lock = lock;
        this.file = file;
    }

    /** Opens the file, which is created if absent, passes on its lines, and repairs its end. */
    static DeadLetterFile open(Path path, Lines lines) throws IOException {
        ExclusiveFileLock lock = lock(path);
        try {
            RandomAccessFile raw = new RandomAccessFile(lock.file().toFile(), "rw");
            try {
                DeadLetterFile file = new DeadLetterFile(lock, raw);
                file.load(lines);
                return file;
            } catch (Throwable t) {
                raw.close();
                throw t;
            }
        } catch (Throwable t) {
            lock.close();
            throw t;
        }
    }

    private static ExclusiveFileLock lock(Path path) throws IOException {
        create(path);
        Path file = path.toRealPath();
        try {
            return ExclusiveFileLock.acquire(file);
        } catch (ExclusiveFileLock.InUseException e) {
            throw new DeadLetterException(
                    "the dead letter file %s is in use by %s, perhaps for a running subscription; only one sink at a time can open it: stop the other one first, or store dead letters in PostgreSQL, which several processes can use"
                            .formatted(file, e.owner()),
                    e);
        }
    }

    private static void create(Path path) throws IOException {
        try {
            Files.createFile(path, ExclusiveFileLock.ownerOnly(path));
        } catch (FileAlreadyExistsException e) {
            return;
        }
        try (FileChannel folder = FileChannel.open(path.toRealPath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException e) {
            log.debug("the folder of {} cannot be forced on this system", path, LoggedFailure.of(e));
        }
    }

    private void load(Lines lines) throws IOException {
        long length = file.length();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(lock.file()), 1 << 16)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int number = 1;
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b != '\n') {
                    line.write(b);
                    continue;
                }
                load(lines, line.toByteArray(), number++, length);
                line.reset();
            }
            loadEnd(lines, line.toByteArray(), number);
        }
        forceFrom(0);
    }

    private void load(Lines lines, byte[] line, int number, long length) throws IOException {
        try {
            lines.accept(decode(line), new Place(written.get(), line.length));
            written.addAndGet(line.length + 1L);
        } catch (IllegalArgumentException e) {
            if (written.get() + line.length + 1 == length && isPartlyEmpty(line)) {
                repair(line.length + 1, number);
                return;
            }
            throw new DeadLetterException(
                    "the dead letter file %s is damaged in line %d (%s); nothing was changed; repair that line or move the file away"
                            .formatted(lock.file(), number, e.getMessage()),
                    e);
        }
    }

    /**
     * Loads the part after the last line end: nothing, a line whose end was removed by an editor, or an incomplete
     * line.
     */
    private void loadEnd(Lines lines, byte[] line, int number) throws IOException {
        if (line.length == 0) {
            return;
        }
        try {
            lines.accept(decode(line), new Place(written.get(), line.length));
            file.seek(written.get() + line.length);
            file.write('\n');
            written.addAndGet(line.length + 1L);
        } catch (IllegalArgumentException e) {
            repair(line.length, number);
        }
    }

    /** Returns whether it contains zero bytes: a file system may have extended the file before it wrote the data. */
    private static boolean isPartlyEmpty(byte[] line) {
        return new String(line, StandardCharsets.ISO_8859_1).indexOf(0) >= 0;
    }

    private void repair(int bytes, int number) throws IOException {
        log.warn(
                "the dead letter file {} ended in the middle of line {}, as after a crash; the {} bytes of that line were removed. Their change was not settled and is delivered again",
                lock.file(),
                number,
                bytes);
        file.setLength(written.get());
    }

    private static String decode(byte[] line) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not UTF-8", e);
        }
    }

    /** Appends a line, which is not durable yet. If this throws, the line is not in the file. */
    Place append(String line) throws IOException {
        requireUsable();
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        long offset = written.get();
        try {
            file.seek(offset);
            file.write(bytes);
        } catch (IOException e) {
            IOException failure = LineFile.unwritten(path(), e);
            takeBack(offset, failure);
            throw failure;
        }
        written.set(offset + bytes.length);
        return new Place(offset, bytes.length - 1);
    }

    private void takeBack(long offset, IOException failure) {
        try {
            file.setLength(offset);
        } catch (IOException e) {
            failure.addSuppressed(e);
            broken = failure;
        }
    }

    long end() {
        return written.get();
    }

    /** Waits until everything before that end is durable. */
    void awaitDurable(long end) throws IOException {
        forcing.lock();
        try {
            if (durable < end) {
                forceFrom(durable);
            }
        } finally {
            forcing.unlock();
        }
    }

    /** After a failed force the durable content is unknown, even if a later force succeeds. */
    private void forceFrom(long from) throws IOException {
        requireUsable();
        long to = written.get();
        try {
            file.getFD().sync();
        } catch (IOException e) {
            broken = LineFile.unwritten(path(), e);
            throw LineFile.unwritten(path(), e);
        }
        forces.incrementAndGet();
        durable = Math.max(from, to);
    }

    /** Throws if something that was written may not be in the file. */
    void requireUsable() throws IOException {
        if (broken != null) {
            throw new IOException(
                    "an earlier write to %s failed, so nothing more is written to it; restart the process, which reopens the file"
                            .formatted(lock.file()),
                    broken);
        }
    }

    String read(Place place) throws IOException {
        byte[] bytes = new byte[place.length()];
        try (RandomAccessFile in = new RandomAccessFile(lock.file().toFile(), "r")) {
            in.seek(place.offset());
            in.readFully(bytes);
        }
        return decode(bytes);
    }

    long forces() {
        return forces.get();
    }

    Path path() {
        return lock.file();
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            file.close();
        }
    }
}
