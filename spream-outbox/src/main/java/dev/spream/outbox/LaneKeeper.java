package dev.spream.outbox;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import java.util.Set;

/**
 * Keeps the lanes of a worker: renews them, takes its share, gives the surplus up, and stops planning by them when they could
 * not be renewed in time. Leaves them to others while nothing is claimed here. Confined to the worker's upkeep thread, but for {@link #areHeld}.
 */
final class LaneKeeper {
    private final WorkerContext context;
    private final KeyPlan plan;
    private volatile LocalLease lease;
    private boolean away;

    LaneKeeper(WorkerContext context, KeyPlan plan) {
        this.context = context;
        this.plan = plan;
        this.lease = LocalLease.ended(context.time());
    }

    /** Whether the lanes of the plan can be relied on. */
    boolean areHeld() {
        return lease.isHeld();
    }

    /** Tells the store which lanes this worker keeps, and the plan which it has. */
    void hold() {
        away = false;
        do {
            Set<Integer> giveUp = plan.leaveIdle();
            LocalLease requested = context.requestLease();
            try {
                LaneShare share = context.calls()
                        .call(
                                "holding lanes",
                                () -> context.store()
                                        .holdLanes(
                                                context.owner(),
                                                giveUp,
                                                context.options().lease()));
                plan.hold(share);
                lease = requested;
            } catch (StorageException e) {
                if (!areHeld()) {
                    plan.holdNothing();
                }
                return; // told; tried again at the next time
            }
        } while (plan.hasIdleToLeave());
    }

    /** Leaves the lanes to workers that get through, until it is to {@link #hold} lanes again. Harmless if it has left them. */
    void stayAway() {
        if (!away) {
            lease = LocalLease.ended(context.time());
            away = leave();
        }
    }

    /** Gives all lanes up; whether the store knows. */
    boolean leave() {
        plan.holdNothing();
        try {
            context.calls().call("leaving lanes", () -> {
                context.store().leaveLanes(context.owner());
                return true;
            });
            return true;
        } catch (StorageException e) {
            return false; // told; the lanes are somebody else's when their leases have run out
        }
    }
}
