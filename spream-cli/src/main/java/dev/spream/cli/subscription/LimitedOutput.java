package dev.spream.cli.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sinks.JsonLines;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Prints changes like {@link JsonLines}, up to a limit. Safe for use by many threads. */
final class LimitedOutput implements Consumer, AutoCloseable {
    private final JsonLines lines;
    private final Runnable limitReached;
    private final AtomicLong toBeWritten;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private long left; // guarded by lock: the number of records that may still be started

    /**
     * Starts to write.
     *
     * @param limitReached called once, on the thread that wrote the last line that the limit allows
     */
    LimitedOutput(OutputStream out, long limit, Runnable limitReached) {
        this.lines = JsonLines.start(out);
        this.limitReached = limitReached;
        this.toBeWritten = new AtomicLong(limit);
        this.left = limit;
    }

    /** Writes the change. Beyond the limit it waits for the interrupt that ends the subscription. */
    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        take();
        boolean written = false;
        try {
            lines.consume(change, delivery);
            written = true;
        } finally {
            if (!written) {
                giveBack();
            }
        }
        if (toBeWritten.decrementAndGet() == 0) {
            limitReached.run();
        }
    }

    private void take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (left == 0) {
                room.await();
            }
            left--;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack() {
        lock.lock();
        try {
            left++;
            room.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        lines.flush();
    }

    long written() {
        return lines.written();
    }

    /** See {@link JsonLines#isReaderClosed}. */
    boolean isReaderClosed() {
        return lines.isReaderClosed();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
