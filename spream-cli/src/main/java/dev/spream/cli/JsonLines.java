package dev.spream.cli;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes each change as a line of JSON, as many as it was told at most. Lines are buffered, and written out when the
 * engine asks for it and a moment after the last one, so that a person who watches sees them. Safe for use by many
 * threads. Closing writes out what is left, and leaves the stream open.
 */
final class JsonLines implements Consumer, AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long IDLE_NANOS = Duration.ofMillis(20).toNanos();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final OutputStream out; // with all that follows guarded by lock
    private final long limit;
    private final Runnable limitReached;
    private long written;
    private boolean dirty;
    private boolean readerGone;
    private boolean closed;

    private JsonLines(OutputStream out, long limit, Runnable limitReached) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        this.limit = limit;
        this.limitReached = limitReached;
    }

    /**
     * Starts to write.
     *
     * @param limitReached called once, on the thread that wrote the last line that the limit allows
     */
    static JsonLines start(OutputStream out, long limit, Runnable limitReached) {
        JsonLines lines = new JsonLines(out, limit, limitReached);
        Thread.ofVirtual().name("spream-stdout").start(lines::flushWhenIdle);
        return lines;
    }

    /** Writes the change. Past the limit it waits for the interrupt that ends the subscription. */
    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        byte[] line = (change.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lockInterruptibly();
        try {
            while (written >= limit) {
                changed.await();
            }
            requireReader();
            write(() -> out.write(line));
            written++;
            dirty = true;
            changed.signalAll();
            if (written < limit) {
                return;
            }
        } finally {
            lock.unlock();
        }
        limitReached.run();
    }

    @Override
    public void flush() throws IOException {
        lock.lock();
        try {
            if (dirty) {
                requireReader();
                write(out::flush);
                dirty = false;
            }
        } finally {
            lock.unlock();
        }
    }

    long written() {
        lock.lock();
        try {
            return written;
        } finally {
            lock.unlock();
        }
    }

    /** Whether whoever read the output has gone, as {@code head} does: nothing is wrong then. */
    boolean readerGone() {
        lock.lock();
        try {
            return readerGone;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            if (!readerGone) {
                flush();
            }
        } finally {
            lock.unlock();
        }
    }

    private void flushWhenIdle() {
        lock.lock();
        try {
            while (!closed) {
                if (dirty) {
                    changed.await(IDLE_NANOS, TimeUnit.NANOSECONDS);
                    flush();
                } else {
                    changed.await();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            closed = true; // the next flush meets the same failure and reports it
        } finally {
            lock.unlock();
        }
    }

    /** The buffer would take changes for a long time that nobody will read. */
    private void requireReader() throws IOException {
        if (readerGone) {
            throw new IOException("whoever read the output has gone");
        }
    }

    private void write(Write write) throws IOException {
        try {
            write.run();
        } catch (IOException e) {
            readerGone |= isBrokenPipe(e);
            throw e;
        }
    }

    private static boolean isBrokenPipe(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("Broken pipe") || message.contains("pipe is being closed");
    }

    private interface Write {
        void run() throws IOException;
    }
}
