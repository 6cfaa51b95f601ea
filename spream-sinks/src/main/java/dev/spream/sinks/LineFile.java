package dev.spream.sinks;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of whole lines. Confined to the holder of the sink's lock, except for forcing, which any thread
 * may do at the same time.
 */
final class LineFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LineFile.class);
    private static final int BLOCK = 1 << 16;
    /** The number of unforced bytes after which the next append forces the file. */
    static final long MAX_UNFORCED_BYTES = 1L << 26;
    /**
     * The size of the end that is searched for whole lines. A crash leaves less than this incomplete, unless one line,
     * of a commit of at most 100 MB, is longer than the difference.
     */
    private static final long SCANNED_BYTES = 4 * MAX_UNFORCED_BYTES;

    private final Path path;
    private final RandomAccessFile file;
    private final ChangeLines format;
    private final InstantSource clock;
    private final Disk disk;
    private Instant begunAt; // confined to the holder of the sink's lock, like the next field
    private boolean torn; // whether the file ends with something other than whole lines
    private volatile long size;

    private final ReentrantLock forcing = new ReentrantLock();
    private volatile long durable; // written under forcing, like the following field
    private boolean closed;
    private volatile @Nullable IOException broken;

    private LineFile(
            Path path, RandomAccessFile file, ChangeLines format, InstantSource clock, Disk disk, Instant begunAt) {
        this.path = path;
        this.file = file;
        this.format = format;
        this.clock = clock;
        this.disk = disk;
        this.begunAt = begunAt;
    }

    /** Reserves a file, which need not exist, and its rotated files for one owner; its folder must exist. */
    static ExclusiveFileLock lock(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path folder = absolute.getParent();
        Path name = absolute.getFileName();
        if (folder == null || name == null) {
            throw new IOException("%s is a folder, not a file".formatted(absolute));
        }
        Path file = folder.toRealPath().resolve(name);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(
                    "%s is not a regular file; configure the path of a regular file or of a new one".formatted(file));
        }
        return ExclusiveFileLock.acquire(file);
    }

    /** Opens the file, which is created for its owner alone if absent, and repairs its end. */
    static LineFile open(Path path, ChangeLines format, InstantSource clock, Disk disk) throws IOException {
        Instant begunAt = create(path) ? clock.instant() : begunAt(path);
        RandomAccessFile raw = new RandomAccessFile(path.toFile(), "rw");
        try {
            LineFile file = new LineFile(path, raw, format, clock, disk, begunAt);
            file.repair();
            file.force();
            return file;
        } catch (Throwable t) {
            raw.close();
            throw t;
        }
    }

    private static boolean create(Path path) throws IOException {
        try {
            Files.createFile(path, ExclusiveFileLock.ownerOnly(path));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Returns when the file was created, or last written if the system does not record the creation. */
    private static Instant begunAt(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class)
                .creationTime()
                .toInstant();
    }

    /**
     * Removes an incomplete end: a partly written line, and everything from the first zero byte on, because a file
     * system may have extended the file before it wrote the data. None of it was forced.
     */
    private void repair() throws IOException {
        long length = file.length();
        requireChanges(length);
        long end = wholeLines(length);
        durable = -1;
        size = end;
        if (end == length) {
            return;
        }
        if (isWholeLine(end, length)) {
            size = length;
            append(new byte[] {'\n'});
            return;
        }
        log.warn(
                "{} did not end with a whole line, as after a crash or a full disk; its last {} bytes were removed. No watermark covers their changes, which are delivered again",
                path,
                length - end);
        file.setLength(end);
    }

    /** Refuses a file of another program or of another format: it is neither appended to nor truncated. */
    private void requireChanges(long length) throws IOException {
        byte[] expected = format.beginning().getBytes(StandardCharsets.UTF_8);
        byte[] beginning = new byte[(int) Math.min(length, expected.length)];
        file.readFully(beginning);
        for (int i = 0; i < beginning.length; i++) {
            if (beginning[i] != expected[i] && beginning[i] != 0) {
                throw new IOException(
                        "%s contains something other than changes in this format and is not changed; move it away, or configure another path"
                                .formatted(path));
            }
        }
    }

    private long wholeLines(long length) throws IOException {
        long from = Math.max(0, length - SCANNED_BYTES);
        file.seek(from);
        byte[] block = new byte[BLOCK];
        long position = from;
        long end = from;
        for (int read = file.read(block); read > 0; read = file.read(block)) {
            for (int i = 0; i < read; i++) {
                if (block[i] == 0) {
                    return requireSome(end, from);
                }
                if (block[i] == '\n') {
                    end = position + i + 1;
                }
            }
            position += read;
        }
        return requireSome(end, from);
    }

    private long requireSome(long end, long from) throws IOException {
        if (end == from && from > 0) {
            throw new IOException("%s has no whole line in its last %d bytes; move it away, or configure another path"
                    .formatted(path, SCANNED_BYTES));
        }
        return end;
    }

    /** Returns whether it is a whole line, of which an editor may have removed the line end. */
    private boolean isWholeLine(long from, long to) throws IOException {
        byte[] line = new byte[Math.toIntExact(to - from)];
        file.seek(from);
        file.readFully(line);
        return format.isWhole(new String(line, StandardCharsets.UTF_8));
    }

    /**
     * Appends lines. They are not durable yet; if many bytes are unforced, the earlier ones are forced first. If this
     * throws, the lines are not in the file.
     */
    void append(byte[] lines) throws IOException {
        requireUnbroken();
        removeTornLine();
        if (size - durable + lines.length > MAX_UNFORCED_BYTES) {
            force();
        }
        if (isEmpty()) {
            begunAt = clock.instant();
        }
        long offset = size;
        torn = true;
        try {
            file.seek(offset);
            file.write(lines);
        } catch (IOException e) {
            IOException failure = unwritten(path, e);
            takeBack(failure);
            throw failure;
        }
        torn = false;
        size = offset + lines.length;
    }

    /** Returns the failure with the name of the file, which the cause alone, such as a full disk, does not contain. */
    static IOException unwritten(Path path, IOException cause) {
        return new IOException("%s cannot be written: %s".formatted(path, cause.getMessage()), cause);
    }

    private void takeBack(IOException failure) {
        try {
            removeTornLine();
        } catch (IOException e) {
            failure.addSuppressed(e); // retried before anything else is done to the file
        }
    }

    private void removeTornLine() throws IOException {
        if (torn) {
            file.setLength(size);
            torn = false;
        }
    }

    /** Waits until everything that was appended before is durable; returns at once if it is. */
    void force() throws IOException {
        forcing.lock();
        try {
            if (!closed || broken != null) {
                sync();
            }
        } finally {
            forcing.unlock();
        }
    }

    private void sync() throws IOException {
        requireUnbroken();
        long end = size;
        if (durable == end) {
            return;
        }
        try {
            disk.force(path, file.getFD());
        } catch (IOException e) {
            IOException failure = unwritten(path, e);
            broken = failure;
            throw failure;
        }
        durable = end;
    }

    /** After a failed force the durable content is unknown, even if a later force succeeds. */
    private void requireUnbroken() throws IOException {
        requireUnbroken(path, broken);
    }

    static void requireUnbroken(Path path, @Nullable IOException broken) throws IOException {
        if (broken != null) {
            throw new IOException(
                    "%s could not be forced to disk, so its durable content is unknown and nothing more is written to it; restart the process, which reopens the file"
                            .formatted(path),
                    broken);
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    long size() {
        return size;
    }

    /** Returns when the first line was written. */
    Instant begunAt() {
        return begunAt;
    }

    /** Forces and closes the file, for the holder of the sink's lock. Closing again is harmless. */
    @Override
    public void close() throws IOException {
        forcing.lock();
        try {
            if (!closed) {
                closed = true;
                try (file) {
                    removeTornLine();
                    sync();
                }
            }
        } finally {
            forcing.unlock();
        }
    }
}
