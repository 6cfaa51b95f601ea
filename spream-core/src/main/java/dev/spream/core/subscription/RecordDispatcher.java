package dev.spream.core.subscription;

import dev.spream.core.record.DataChangeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands the records of one partition to the consumer, one at a time and in read order, on a virtual thread that lives while
 * there is something to do. The reader fills it and is held up when as many records as allowed are in flight; so a slow
 * consumer stops the reading and nothing else. Safe for use by many threads.
 *
 * <p>Stopping lets the record that was started finish and leaves the rest unsettled; cancelling interrupts the started one
 * as well. What was settled before counts in any case.
 */
final class RecordDispatcher implements ChangeDelivery.Lane {
    private final HeldPartition partition;
    private final ChangeDelivery delivery;
    private final String threadName;
    private final int maxInflight;
    private final Consumer<Throwable> onFailure;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Deque<ReadRecord> waiting = new ArrayDeque<>();
    private @Nullable Thread lane;
    private boolean stopping;
    private boolean cancelled;

    RecordDispatcher(
            HeldPartition partition,
            ChangeDelivery delivery,
            String threadName,
            int maxInflight,
            Consumer<Throwable> onFailure) {
        this.partition = partition;
        this.delivery = delivery;
        this.threadName = threadName;
        this.maxInflight = maxInflight;
        this.onFailure = onFailure;
    }

    /**
     * Takes a record, waiting for room.
     *
     * @return false if the dispatcher is stopping; the record was not taken
     */
    boolean submit(DataChangeRecord change, Instant position) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping && partition.tracker().inFlight() >= maxInflight) {
                changed.await();
            }
            if (stopping) {
                return false;
            }
            waiting.add(new ReadRecord(partition.tracker().open(position), change));
            if (lane == null) {
                lane = Thread.ofVirtual().name(threadName).start(this::runLane);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void runLane() {
        try {
            ReadRecord record;
            while ((record = nextOrEnd()) != null) {
                boolean settled = delivery.deliver(partition, record.change(), this);
                clearInterrupt();
                if (settled) {
                    settle(record);
                } else {
                    stop();
                    loseIfNotHeld();
                }
            }
        } catch (Throwable t) {
            stop();
            endLane();
            if (!(t instanceof InterruptedException && isCancelled())) {
                onFailure.accept(t);
            }
        }
    }

    /** The lease ran out before a call: the reader, which may wait for its stream, is to stop as well. */
    private void loseIfNotHeld() {
        if (!partition.isHeld()) {
            partition.lose();
        }
    }

    /** The next record; null when there is none, and then the lane has ended. */
    private @Nullable ReadRecord nextOrEnd() {
        lock.lock();
        try {
            ReadRecord record = stopping ? null : waiting.poll();
            if (record == null) {
                endLane();
            }
            return record;
        } finally {
            lock.unlock();
        }
    }

    private void settle(ReadRecord record) {
        lock.lock();
        try {
            partition.tracker().settle(record.sequence());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void endLane() {
        lock.lock();
        try {
            lane = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** An interrupt that user code left behind would hit the next record. */
    private void clearInterrupt() {
        if (!isCancelled()) {
            Thread.interrupted();
        }
    }

    /**
     * Waits until every record that was taken is settled.
     *
     * @return false if the dispatcher stopped before
     */
    boolean awaitSettled() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping && partition.tracker().inFlight() > 0) {
                changed.await();
            }
            return partition.tracker().inFlight() == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the consumer is not being called.
     *
     * @param graceAfterCancel how long to wait for a consumer that was interrupted
     * @return false if the consumer did not return from an interrupted call in that time
     */
    boolean awaitIdle(Duration graceAfterCancel) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long grace = TimeUnit.NANOSECONDS.convert(graceAfterCancel);
            while (lane != null) {
                if (!cancelled) {
                    changed.await();
                } else if (grace > 0) {
                    grace = changed.awaitNanos(grace);
                } else {
                    return false;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean isIdle() {
        lock.lock();
        try {
            return lane == null;
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void cancel() {
        lock.lock();
        try {
            stopping = true;
            cancelled = true;
            if (lane != null) {
                lane.interrupt();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread is in a call of the consumer that this dispatcher made. */
    boolean isCalledBy(Thread thread) {
        lock.lock();
        try {
            return thread.equals(lane);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isCancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pause(Duration delay) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(delay);
        lock.lockInterruptibly();
        try {
            while (!stopping && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private record ReadRecord(long sequence, DataChangeRecord change) {}
}
