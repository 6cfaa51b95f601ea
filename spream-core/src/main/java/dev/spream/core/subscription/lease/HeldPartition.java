package dev.spream.core.subscription.lease;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.inflight.InflightTracker;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A partition that this worker acquired, until its reader has ended. Safe for use by many threads.
 *
 * <p>It is {@code HELD} until the call to the storage that finishes or releases the partition begins: {@code
 * LEAVING}, and then {@code FINISHED} or {@code RELEASED}. Before those it may become {@code LOST}. A transition that
 * the present state does not allow is ignored: the first end counts.
 *
 * <p>The holder fences itself: while the state allows work, the lease has to be valid as well, measured on the holder's
 * own clocks ({@link LocalLease}), so that it ends here before it ends in the storage. Once found expired, it is not
 * restored by a renewal: the work on the partition has been stopped.
 */
public final class HeldPartition {

    /** The state of the partition in this process. */
    public enum State {
        HELD,
        LEAVING,
        FINISHED,
        RELEASED,
        LOST;

        public boolean canBecome(State next) {
            return switch (this) {
                case HELD -> next == LEAVING || next == LOST;
                case LEAVING -> next == FINISHED || next == RELEASED || next == LOST;
                case FINISHED, RELEASED, LOST -> false;
            };
        }

        /** Returns whether this is a final state. */
        boolean isEnd() {
            return this == FINISHED || this == RELEASED || this == LOST;
        }
    }

    private final PartitionLease lease;
    private final InflightTracker tracker;

    // Guarded by this; the state is only written under it.
    private @Nullable LocalLease held; // null once found expired
    private volatile State state = State.HELD;
    private volatile Instant persistedWatermark;
    private volatile @Nullable Runnable onLost;

    public HeldPartition(PartitionLease lease, InflightTracker tracker, LocalLease held) {
        this.lease = lease;
        this.tracker = tracker;
        this.held = held;
        this.persistedWatermark = lease.watermark();
    }

    public PartitionLease lease() {
        return lease;
    }

    public PartitionToken token() {
        return lease.token();
    }

    public InflightTracker tracker() {
        return tracker;
    }

    public State state() {
        return state;
    }

    /**
     * Returns whether this worker may dispatch, read and write for the partition. Checked before each of those; once false,
     * it stays false.
     */
    public synchronized boolean isHeld() {
        if (held != null && !held.isHeld()) {
            held = null;
        }
        return held != null && !state.isEnd();
    }

    public boolean isLeft() {
        return state.isEnd();
    }

    /**
     * Records that the call to the storage begins that finishes or releases the partition; after it, the storage has no
     * lease on it.
     */
    public void leaving() {
        become(State.LEAVING);
    }

    public void finished() {
        become(State.FINISHED);
    }

    /** Records that the partition was released. */
    public void released() {
        become(State.RELEASED);
    }

    /** Sets the action that runs once, when the loss of the lease is found. */
    public void onLost(Runnable action) {
        onLost = action;
    }

    /** Records that the lease is lost: to another owner, or because it expired. */
    public void revoke() {
        lost(become(State.LOST));
    }

    /** Records that the storage has no such lease, which is ignored for a partition that is leaving. */
    public void unknownToStorage() {
        boolean loses;
        synchronized (this) {
            loses = state == State.HELD && become(State.LOST);
        }
        lost(loses);
    }

    private void lost(boolean now) {
        Runnable action = onLost;
        if (now && action != null) {
            action.run();
        }
    }

    /** Records that the storage renewed the lease. */
    public synchronized void renewed(LocalLease renewal) {
        if (held != null) {
            held = renewal;
        }
    }

    private synchronized boolean become(State next) {
        boolean becomes = state.canBecome(next);
        if (becomes) {
            state = next;
        }
        return becomes;
    }

    public Instant persistedWatermark() {
        return persistedWatermark;
    }

    public synchronized void persisted(Instant watermark) {
        if (watermark.isAfter(persistedWatermark)) {
            persistedWatermark = watermark;
        }
    }
}
