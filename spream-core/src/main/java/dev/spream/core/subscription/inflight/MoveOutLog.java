package dev.spream.core.subscription.inflight;

import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.PartitionEventRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The move-outs that a reader has read, in order, until a later watermark is stored. Safe for use by many threads; no
 * method blocks.
 */
public final class MoveOutLog {

    /**
     * @param number counted from 1
     * @param boundary the sequence of the first record after the move-out
     */
    private record MoveOut(long number, Instant timestamp, MoveOuts moved, long boundary, PendingLanes pending) {}

    // Guarded by this; the flag is read without it.
    private final List<MoveOut> moveOuts = new ArrayList<>();
    private long added;
    private volatile boolean isEmpty = true;

    /**
     * Adds a move-out.
     *
     * @param boundary the sequence of the next record
     * @param pending the records in flight before it
     */
    public synchronized void add(PartitionEventRecord event, long boundary, PendingLanes pending) {
        List<PartitionToken> destinations =
                event.moveOutDestinations().stream().map(PartitionToken::new).toList();
        added++;
        moveOuts.add(new MoveOut(
                added, event.commitTimestamp(), new MoveOuts(event.recordSequence(), destinations), boundary, pending));
        isEmpty = false;
    }

    public boolean isEmpty() {
        return isEmpty;
    }

    /**
     * Returns the move-outs at that time before which everything is settled.
     *
     * @param limit those behind the record with that sequence do not count
     */
    public synchronized Optional<MoveOuts> settledAt(Instant timestamp, InflightTracker tracker, long limit) {
        @Nullable MoveOuts settled = null;
        for (MoveOut moveOut : moveOuts) {
            if (moveOut.timestamp().equals(timestamp)
                    && moveOut.boundary() <= limit
                    && tracker.isSettledBefore(moveOut.boundary())) {
                settled = settled == null ? moveOut.moved() : settled.and(moveOut.moved());
            }
        }
        return Optional.ofNullable(settled);
    }

    /**
     * Returns the number of the last move-out before which everything is settled, that the watermark has reached, and that
     * the storage does not have yet; 0 if there is none.
     *
     * @param limit those at the watermark behind the record with that sequence do not count
     */
    public synchronized long lastUnstored(
            Instant watermark, InflightTracker tracker, long limit, Instant stored, Optional<MoveOuts> storedMoveOuts) {
        return moveOuts.stream()
                .filter(moveOut -> moveOut.timestamp().isBefore(watermark)
                        || (moveOut.timestamp().equals(watermark) && moveOut.boundary() <= limit))
                .filter(moveOut -> moveOut.timestamp().isAfter(stored)
                        || (moveOut.timestamp().equals(stored)
                                && storedMoveOuts.filter(moveOut.moved()::isIn).isEmpty()))
                .filter(moveOut -> tracker.isSettledBefore(moveOut.boundary()))
                .mapToLong(MoveOut::number)
                .max()
                .orElse(0);
    }

    /**
     * Returns whether the storage has every move-out at that time, settled or not.
     *
     * @param limit those behind the record with that sequence do not count
     */
    public synchronized boolean areStored(Instant timestamp, long limit, Optional<MoveOuts> storedMoveOuts) {
        return moveOuts.stream()
                .filter(moveOut -> moveOut.timestamp().equals(timestamp) && moveOut.boundary() <= limit)
                .allMatch(
                        moveOut -> storedMoveOuts.filter(moveOut.moved()::isIn).isPresent());
    }

    /** Returns the records that were in flight before the move-out; empty if it was not read, or was forgotten. */
    public synchronized Optional<PendingLanes> pendingBefore(Instant timestamp, PartitionToken destination) {
        return moveOuts.stream()
                .filter(moveOut -> moveOut.timestamp().equals(timestamp)
                        && moveOut.moved().destinations().contains(destination))
                .map(MoveOut::pending)
                .reduce((first, last) -> last);
    }

    /** Forgets move-outs before that time: the stored watermark says that everything before them is settled. */
    public synchronized void forgetBefore(Instant watermark) {
        moveOuts.removeIf(moveOut -> moveOut.timestamp().isBefore(watermark));
        isEmpty = moveOuts.isEmpty();
    }
}
