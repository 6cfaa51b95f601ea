package dev.spream.sinks;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes lines of text to a stream that a reader may close. Lines are buffered, and written on {@link #flush}, and
 * shortly after the last one, so that a terminal shows them.
 *
 * <p>After a failed write, nothing more is written, and every call fails with that cause: the output may end in the
 * middle of a line, and cannot be corrected.
 *
 * <p>Safe for use by many threads. Closing writes the buffered lines, and leaves the stream open; closing again is
 * harmless.
 */
public final class LineOutput implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LineOutput.class);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long IDLE_NANOS = Duration.ofMillis(20).toNanos();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final OutputStream out; // guarded by the lock, like all following fields
    private boolean dirty;
    private boolean closed;
    private volatile @Nullable Throwable broken;

    private LineOutput(OutputStream out) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    }

    /**
     * Starts to write, with a thread that writes buffered lines that no further line follows.
     *
     * @param out a stream that throws its failures, unlike a {@link java.io.PrintStream} such as {@link System#out}
     */
    public static LineOutput start(OutputStream out) {
        LineOutput lines = new LineOutput(requireNonNull(out, "out"));
        Thread.ofVirtual().name("spream-lines").start(lines::flushWhenIdle);
        return lines;
    }

    /**
     * Writes a line; several that are separated by line breaks are not separated by those of other threads.
     *
     * @param text the line without its line break
     */
    public void write(String text) throws IOException, InterruptedException {
        writeEnded((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Writes lines that have their line breaks. */
    void writeEnded(byte[] lines) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            requireOpen();
            write(() -> out.write(lines));
            dirty = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Writes the buffered lines. */
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
