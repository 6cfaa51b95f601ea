package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition that this worker acquired, until its reader has ended. Safe for use by many threads.
 *
 * <p>The holder fences itself: the lease is measured on this process's own monotonic clock from before the request that
 *
 * acquired or renewed it, so it ends here no later than in the storage, whatever the two wall clocks say. It is held for a
 * five-hundredth less than granted, twice as much as two clocks that are being corrected can drift apart (NTP slews each by
 * 0.05 % at most).
 *
 */
final class HeldPartition {
    private static final int DRIFT_SHARE = 500;

    private final PartitionLease lease;
    private final InflightTracker tracker;
    private final LongSupplier nanoTime;

    private long heldUntil; // guarded by this, like the next
    private boolean expired;
    private final AtomicBoolean lost = new AtomicBoolean();
    private volatile boolean leaving;
    private volatile boolean finished;
    private volatile boolean released;
    private volatile Instant persistedWatermark;
    private volatile @Nullable Runnable onLost;

    HeldPartition(
            PartitionLease lease,
            InflightTracker tracker,
            LongSupplier nanoTime,
            long requestedAt,
            Duration leaseTime) {
        this.lease = lease;
        this.tracker = tracker;
        this.nanoTime = nanoTime;
        this.heldUntil = requestedAt + held(leaseTime);
        this.persistedWatermark = lease.watermark();
    }

    PartitionLease lease() {
        return lease;
    }

    PartitionToken token() {
        return lease.token();
    }

    InflightTracker tracker() {
        return tracker;
    }

    /**
     * Whether this worker may dispatch, read and write for the partition. Asked before each of those. Once it said no, it
     * stays so: who was told has stopped its work, and a renewal that comes late must not keep a partition that nobody reads.
     */
    synchronized boolean isHeld() {
        expired |= nanoTime.getAsLong() - heldUntil >= 0;
        return !expired && !lost.get() && !released;
    }

    /** The storage is being told that the partition is finished or given back, and then knows no lease on it any more. */
    void leaving() {
        leaving = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    boolean isFinished() {
        return finished;
    }

    void finished() {
        finished = true;
    }

    /** The partition was given back. */
    void released() {
        released = true;
    }

    /** Whether this worker has nothing to do with the partition any more. */
    boolean isLeft() {
        return finished || released || lost.get();
    }

    /** The lease was renewed by a request sent at that time. */
    synchronized void renewed(long requestedAt, Duration leaseTime) {
        heldUntil = requestedAt + held(leaseTime);
    }

    private static long held(Duration leaseTime) {
        return leaseTime.minus(leaseTime.dividedBy(DRIFT_SHARE)).toNanos();
    }

    /** What to do, once, when the lease turns out to be lost. */
    void onLost(Runnable action) {
        onLost = action;
    }

    /** The storage said that the lease is lost, or its time ran out. */
    void lose() {
        Runnable action = onLost;
        if (lost.compareAndSet(false, true) && action != null) {
            action.run();
        }
    }

    boolean isLost() {
        return lost.get();
    }

    Instant persistedWatermark() {
        return persistedWatermark;
    }

    void persisted(Instant watermark) {
        persistedWatermark = watermark;
    }
}
