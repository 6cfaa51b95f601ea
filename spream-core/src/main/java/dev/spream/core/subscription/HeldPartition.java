package dev.spream.core.subscription;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A partition that this worker acquired, until its reader has ended. Safe for use by many threads.
 *
 * <p>The holder fences itself: it measures the lease on its own clocks ({@link LocalLease}), so that it ends here before it ends in
 * the storage.
 */
final class HeldPartition {
    private final PartitionLease lease;
    private final InflightTracker tracker;

    private LocalLease held; // guarded by this, like the next
    private boolean expired;
    private final AtomicBoolean lost = new AtomicBoolean();
    private volatile boolean leaving;
    private volatile boolean finished;
    private volatile boolean released;
    private volatile Instant persistedWatermark;
    private volatile @Nullable Runnable onLost;

    HeldPartition(PartitionLease lease, InflightTracker tracker, LocalLease held) {
        this.lease = lease;
        this.tracker = tracker;
        this.held = held;
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
        expired |= !held.isHeld();
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

    /** The storage renewed the lease. */
    synchronized void renewed(LocalLease renewal) {
        held = renewal;
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

    synchronized void persisted(Instant watermark) {
        if (watermark.isAfter(persistedWatermark)) {
            persistedWatermark = watermark;
        }
    }
}
