package dev.spream.core.subscription.lease;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.inflight.MoveOutLog;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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
 * restored by a renewal: the work on the partition has been stopped. A partition that is read ahead of others is lost
 * with any of these {@linkplain Predecessor predecessors}, too.
 */
public final class HeldPartition {

    /** The limit of the watermark that may be stored, and the sequence of the first record behind it. */
    private record Limit(Instant watermark, long boundary) {}

    /**
     * A partition that another one is read ahead of, until the storage has everything before the departure of keys to the
     * destination as settled.
     *
     * @param at the time of the departure; {@link Instant#MAX} for the end of a parent
     */
    public record Predecessor(HeldPartition partition, Instant at, PartitionToken destination) {

        /** Returns whether nothing of it is awaited any more. */
        public boolean isStored() {
            return partition.isStoredPast(at, destination);
        }

        private boolean isLost() {
            return !partition.isLeaseHeld() && !isStored();
        }
    }

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
    private Optional<MoveOuts> persistedMoveOuts;
    private boolean unknown; // to the storage: nothing can be stored for it any more
    private Instant readSince; // from then on without a gap
    private volatile @Nullable Runnable onLost;

    private final MoveOutLog moveOuts = new MoveOutLog();
    private volatile @Nullable Limit limit;
    private volatile List<Predecessor> predecessors = List.of();

    public HeldPartition(PartitionLease lease, InflightTracker tracker, LocalLease held) {
        this.lease = lease;
        this.tracker = tracker;
        this.held = held;
        this.persistedWatermark = lease.watermark();
        this.readSince = lease.watermark();
        this.persistedMoveOuts = lease.moveOuts();
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

    /** Returns the move-outs that its reader has read. */
    public MoveOutLog moveOuts() {
        return moveOuts;
    }

    /**
     * Returns the watermark that may be stored: every change before it is settled, and it does not pass the {@linkplain
     * #limitWatermark limit}.
     */
    public Instant watermark() {
        Instant settled = tracker.watermark();
        Limit known = limit;
        return known != null && known.watermark().isBefore(settled) ? known.watermark() : settled;
    }

    /**
     * Limits the watermark that may be stored, while the partition waits for others or is read ahead of them: after a
     * crash its changes from there on have to come again, after those of the others.
     *
     * @param boundary the sequence of the first record that is limited: move-outs behind it are not settled before it
     */
    public void limitWatermark(Instant watermark, long boundary) {
        limit = new Limit(watermark, boundary);
    }

    /** Removes the limit. */
    public void unlimitWatermark() {
        limit = null;
    }

    /** Returns the last sequence that move-outs at that time may be behind to be stored as settled. */
    private long boundaryAt(Instant timestamp) {
        Limit known = limit;
        return known != null && known.watermark().equals(timestamp) ? known.boundary() : Long.MAX_VALUE;
    }

    /** Sets the partitions whose keys this one continues before they are stored as settled: it is lost with them. */
    public void continueAfter(List<Predecessor> others) {
        predecessors = List.copyOf(others);
    }

    /**
     * Returns whether this worker may dispatch, read and write for the partition. Checked before each of those; once false,
     * it stays false.
     */
    public boolean isHeld() {
        for (Predecessor predecessor : predecessors) {
            if (predecessor.isLost()) {
                synchronized (this) {
                    held = null;
                }
                return false;
            }
        }
        return isLeaseHeld();
    }

    private synchronized boolean isLeaseHeld() {
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

    /**
     * Records that the storage has no such lease. A partition that is leaving is not lost by that: the call that finishes
     * or releases it has worked, and has not returned yet.
     */
    public void unknownToStorage() {
        boolean loses;
        synchronized (this) {
            unknown = true;
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

    public void persisted(Instant watermark) {
        persisted(watermark, Optional.empty());
    }

    /** Records that the storage has a gap, and that the partition is read from its end on. */
    public synchronized void skipped(PartitionGap gap) {
        persisted(gap.to());
        readSince = gap.to();
    }

    /** Returns whether records of that time are read under this lease; earlier ones may be in a gap, as the lineage says. */
    public synchronized boolean reads(Instant at) {
        return !at.isBefore(readSince);
    }

    /** Records that the storage has that watermark, with these move-outs. */
    public synchronized void persisted(Instant watermark, Optional<MoveOuts> moved) {
        if (watermark.isAfter(persistedWatermark)) {
            persistedWatermark = watermark;
            persistedMoveOuts = Optional.empty();
            moveOuts.forgetBefore(watermark);
        }
        if (watermark.equals(persistedWatermark)) {
            persistedMoveOuts = Stream.of(persistedMoveOuts, moved)
                    .flatMap(Optional::stream)
                    .reduce(MoveOuts::and);
        }
    }

    /** Returns what the storage has of the partition, as far as this worker knows. */
    public synchronized WatermarkAdvance stored() {
        return new WatermarkAdvance(lease, persistedWatermark, persistedMoveOuts);
    }

    /** Returns what is to be stored now: a later watermark, or further move-outs at the stored one. */
    public Optional<WatermarkAdvance> unstored() {
        Instant watermark = watermark();
        Optional<MoveOuts> moved =
                moveOuts.isEmpty() ? Optional.empty() : moveOuts.settledAt(watermark, tracker, boundaryAt(watermark));
        return isHeld() && isNew(watermark, moved)
                ? Optional.of(new WatermarkAdvance(lease, watermark, moved))
                : Optional.empty();
    }

    private synchronized boolean isNew(Instant watermark, Optional<MoveOuts> moved) {
        return !unknown
                && (watermark.isAfter(persistedWatermark)
                        || (watermark.equals(persistedWatermark)
                                && moved.filter(more -> persistedMoveOuts
                                                .filter(more::isIn)
                                                .isEmpty())
                                        .isPresent()));
    }

    /**
     * Returns the number of the last move-out that is settled and not stored, counted from 1 in the order they were read:
     * its destinations may wait for that. 0 if there is none.
     */
    public long lastUnstoredMoveOut() {
        if (moveOuts.isEmpty()) {
            return 0;
        }
        Instant watermark = watermark();
        synchronized (this) {
            return unknown
                    ? 0
                    : moveOuts.lastUnstored(
                            watermark, tracker, boundaryAt(watermark), persistedWatermark, persistedMoveOuts);
        }
    }

    /**
     * Returns whether nothing up to that time is left to do: the stored watermark has reached it, and the storage has the
     * move-outs at it.
     */
    public synchronized boolean isStoredUpTo(Instant at) {
        return persistedWatermark.isAfter(at)
                || (persistedWatermark.equals(at) && moveOuts.areStored(at, boundaryAt(at), persistedMoveOuts));
    }

    /** Returns whether the storage knows that everything before its move-out at that time is settled. */
    public synchronized boolean isStoredPast(Instant at, PartitionToken destination) {
        return state == State.FINISHED || Lineage.isPastMoveOut(persistedWatermark, persistedMoveOuts, at, destination);
    }
}
