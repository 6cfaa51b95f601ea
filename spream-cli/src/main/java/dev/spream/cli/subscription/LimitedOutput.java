package dev.spream.cli.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sinks.LineOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Prints changes in a format, up to a limit. Safe for use by many threads. */
final class LimitedOutput implements Consumer, AutoCloseable {
    private final LineOutput lines;
    private final LineFormat format;
    private final AtomicLong written = new AtomicLong();
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
    LimitedOutput(OutputStream out, LineFormat format, long limit, Runnable limitReached) {
        this.lines = LineOutput.start(out);
        this.format = format;
        this.limitReached = limitReached;
        this.toBeWritten = new AtomicLong(limit);
        this.left = limit;
    }

    /** Writes the change. Beyond the limit it waits for the interrupt that ends the subscription. */
    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        take();
        boolean done = false;
        try {
            lines.write(format.change(delivery.partition(), change));
            done = true;
        } finally {
            if (!done) {
                giveBack();
            }
        }
        written.incrementAndGet();
        if (toBeWritten.decrementAndGet() == 0) {
            limitReached.run();
        }
    }

    /** Writes a record that is not delivered; the limit does not count it. */
    void other(PartitionToken partition, ChangeRecord record) throws IOException, InterruptedException {
        lines.write(format.other(partition, record));
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
        return written.get();
    }

    /** See {@link LineOutput#isReaderClosed}. */
    boolean isReaderClosed() {
        return lines.isReaderClosed();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
