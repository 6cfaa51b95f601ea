package dev.spream.testkit.memory;

import dev.spream.outbox.LaneLease;
import dev.spream.outbox.LaneShare;
import dev.spream.outbox.OutboxOwner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lanes of an {@link InMemoryOutbox} and the workers that share them. Guarded by its memory. */
final class LaneTable {
    private final List<Lane> lanes = new ArrayList<>();
    private final Map<OutboxOwner, Instant> workers = new HashMap<>();

    LaneTable() {
        for (int lane = 0; lane < LaneLease.LANES; lane++) {
            lanes.add(new Lane(lane));
        }
    }

    LaneShare hold(OutboxOwner worker, Set<Integer> giveUp, Instant now, Duration lease) {
        workers.values().removeIf(until -> !until.isAfter(now));
        workers.put(worker, now.plus(lease));
        int share = Math.ceilDiv(LaneLease.LANES, workers.size());
        List<LaneLease> held = new ArrayList<>();
        for (Lane lane : lanes) {
            if (giveUp.contains(lane.number)) {
                lane.giveUp(worker);
            } else if (lane.isOf(worker)) {
                held.add(lane.lease(worker, now, lease));
            }
        }
        for (Lane lane : lanes) {
            if (held.size() < share && lane.isFree(now) && !giveUp.contains(lane.number)) {
                held.add(lane.lease(worker, now, lease));
            }
        }
        return new LaneShare(held, share);
    }

    void leave(OutboxOwner worker) {
        workers.remove(worker);
        lanes.forEach(lane -> lane.giveUp(worker));
    }

    boolean isHeld(OutboxOwner worker, LaneLease lease, Instant now) {
        Lane lane = lanes.get(lease.lane());
        return lane.isOf(worker) && lane.epoch == lease.epoch() && !lane.isFree(now);
    }

    private static final class Lane {
        private final int number;
        private long epoch;
        private @Nullable OutboxOwner owner;
        private Instant until = Instant.MIN;

        Lane(int number) {
            this.number = number;
        }

        boolean isOf(OutboxOwner worker) {
            return worker.equals(owner);
        }

        boolean isFree(Instant now) {
            return owner == null || !until.isAfter(now);
        }

        LaneLease lease(OutboxOwner worker, Instant now, Duration lease) {
            epoch += isOf(worker) ? 0 : 1;
            owner = worker;
            until = now.plus(lease);
            return new LaneLease(number, epoch);
        }

        void giveUp(OutboxOwner worker) {
            owner = isOf(worker) ? null : owner;
        }
    }
}
