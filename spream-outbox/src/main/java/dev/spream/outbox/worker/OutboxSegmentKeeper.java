package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import java.util.Set;

/**
 * Keeps the segment leases of a worker: renews them, claims its share, releases the surplus, and stops planned claims
 * if the leases could not be renewed in time. Releases all segments while this worker claims nothing. Confined to the
 * worker's upkeep thread, except for {@link #areHeld}.
 */
final class OutboxSegmentKeeper {
    private final WorkerStore store;
    private final MonotonicTime time;
    private final HeldSegments segments;
    private volatile LocalLease lease;
    private boolean away;

    OutboxSegmentKeeper(WorkerStore store, HeldSegments segments, MonotonicTime time) {
        this.store = store;
        this.segments = segments;
        this.time = time;
        this.lease = LocalLease.ended(time);
    }

    /** Returns whether the leases of the planned segments are valid. */
    boolean areHeld() {
        return lease.isHeld();
    }

    /** Renews and releases segments in the store, and passes the result to the planners. */
    void hold() {
        away = false;
        do {
            Set<Integer> giveUp = segments.leaveIdle();
            LocalLease requested = store.requestLease();
            try {
                segments.hold(store.holdSegments(giveUp));
                lease = requested;
            } catch (StorageException e) {
                if (!areHeld()) {
                    segments.holdNothing();
                }
                return; // already reported; retried in the next round
            }
        } while (segments.hasIdleToLeave());
    }

    /**
     * Releases the segments to other workers until {@link #hold} is called again. Has no effect if they were released
     * before.
     */
    void releaseAll() {
        if (!away) {
            lease = LocalLease.ended(time);
            away = leave();
        }
    }

    /** Releases all segments; returns whether the store has recorded it. */
    boolean leave() {
        segments.holdNothing();
        return store
                .releaseSegments(); // on a failure, other workers can claim the segments once the leases have expired
    }
}
