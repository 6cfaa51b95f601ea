package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import java.util.Set;

/**
 * Keeps the segments of a worker: renews them, takes its share, gives the surplus up, and stops planning by them when they
 * could not be renewed in time. Leaves them to others while nothing is claimed here. Confined to the worker's maintenance
 * thread, but for {@link #areHeld}.
 */
final class OutboxSegmentKeeper {
    private final WorkerStore store;
    private final MonotonicTime time;
    private final OrderedClaimPlanner plan;
    private volatile LocalLease lease;
    private boolean away;

    OutboxSegmentKeeper(WorkerStore store, OrderedClaimPlanner plan, MonotonicTime time) {
        this.store = store;
        this.plan = plan;
        this.time = time;
        this.lease = LocalLease.ended(time);
    }

    /** Returns whether the segments of the plan can be relied on. */
    boolean areHeld() {
        return lease.isHeld();
    }

    /** Tells the store which segments this worker keeps, and the plan which it has. */
    void hold() {
        away = false;
        do {
            Set<Integer> giveUp = plan.leaveIdle();
            LocalLease requested = store.requestLease();
            try {
                plan.hold(store.holdSegments(giveUp));
                lease = requested;
            } catch (StorageException e) {
                if (!areHeld()) {
                    plan.holdNothing();
                }
                return; // told; tried again at the next time
            }
        } while (plan.hasIdleToLeave());
    }

    /** Leaves the segments to workers that get through, until it is to {@link #hold} segments again. Harmless if it has left them. */
    void releaseAll() {
        if (!away) {
            lease = LocalLease.ended(time);
            away = leave();
        }
    }

    /** Gives all segments up; whether the store knows. */
    boolean leave() {
        plan.holdNothing();
        return store.releaseSegments(); // if not, others have the segments when their leases have run out
    }
}
