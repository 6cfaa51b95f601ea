package dev.spream.sinks;

import static java.util.Objects.requireNonNull;

import dev.spream.api.format.ChangeFormat;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each change to a stream, as a line of JSON in the shape of the documentation's {@code data_change_record}, or
 * each of its rows as a line of another format.
 * Lines are buffered, and written when the engine calls {@link #flush}, and shortly after the last one, so that a
 * terminal shows them.
 *
 * <p>After a failed write, nothing more is written, and every call fails with that cause: the output may end in the
 * middle of a line, and cannot be corrected.
 *
 * <p>Safe for use by many threads. Closing writes the buffered lines, and leaves the stream open; closing again is
 * harmless.
 */
public final class JsonLines implements Consumer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JsonLines.class);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long IDLE_NANOS = Duration.ofMillis(20).toNanos();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final OutputStream out; // guarded by the lock, like all following fields
    private boolean dirty;
    private boolean closed;
    private final ChangeLines format;
    private final AtomicLong written = new AtomicLong();
    private volatile @Nullable Throwable broken;

    private JsonLines(OutputStream out, ChangeLines format) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        this.format = format;
    }

    /**
     * Starts to write, with a thread that writes buffered lines that no further line follows.
     *
     * @param out a stream that throws its failures, unlike a {@link java.io.PrintStream} such as {@link System#out}
     */
    public static JsonLines start(OutputStream out) {
        return start(out, ChangeLines.OF_RECORDS);
    }

    /** Starts to write, a line for each row, in a format whose values are text. */
    public static JsonLines start(OutputStream out, ChangeFormat format) {
        return start(out, new ChangeLines(Optional.of(format)));
    }

    static JsonLines start(OutputStream out, ChangeLines format) {
        JsonLines lines = new JsonLines(requireNonNull(out, "out"), format);
        Thread.ofVirtual().name("spream-lines").start(lines::flushWhenIdle);
        return lines;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        byte[] line = format.of(change, delivery);
        lock.lockInterruptibly();
        try {
            requireOpen();
            write(() -> out.write(line));
            written.incrementAndGet();
            dirty = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        lock.lock();
        try {
            requireUnbroken();
            if (dirty) {
                write(out::flush);
                dirty = false;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of changes accepted so far. */
    public long written() {
        return written.get();
    }

    /**
     * Returns whether the reader of the output has closed it, as {@code head} does. This is not a failure; nothing more
     * is written.
     */
    public boolean isReaderClosed() {
        return isBrokenPipe(broken);
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
            if (!isBrokenPipe(broken)) {
                flush();
            }
        } finally {
            lock.unlock();
        }
    }

    private void flushWhenIdle() {
        lock.lock();
        try {
            while (!closed && broken == null) {
                if (dirty) {
                    changed.await(IDLE_NANOS, TimeUnit.NANOSECONDS);
                    writeOut();
                } else {
                    changed.await();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void writeOut() {
        try {
            flush();
        } catch (IOException | RuntimeException e) {
            log.debug("the output could not be written; the next call reports the failure", LoggedFailure.of(e));
        }
    }

    private void requireOpen() throws IOException {
        requireUnbroken();
        if (closed) {
            throw new IOException("the output is closed");
        }
    }

    private void requireUnbroken() throws IOException {
        if (isBrokenPipe(broken)) {
            throw new IOException("the reader of the output has closed it", broken);
        }
        if (broken != null) {
            throw new IOException(
                    "an earlier write to the output failed (%s), so it may end in the middle of a line; nothing more is written"
                            .formatted(broken.getMessage()),
                    broken);
        }
    }

    /**
     * Writes, unless a write has failed before. The buffer's contents are not written after a failure, because a part
     * of them may have been written.
     */
    private void write(Write write) throws IOException {
        try {
            write.run();
        } catch (IOException | RuntimeException | Error e) {
            broken = e;
            changed.signalAll();
            if (e instanceof IOException && !isBrokenPipe(e)) {
                throw new IOException("the output cannot be written: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    private static boolean isBrokenPipe(@Nullable Throwable failure) {
        String message = failure instanceof IOException ? String.valueOf(failure.getMessage()) : "";
        return message.contains("Broken pipe") || message.contains("pipe is being closed");
    }

    private interface Write {
        void run() throws IOException;
    }
}
