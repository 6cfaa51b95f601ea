package dev.spream.outbox.worker;

import dev.spream.outbox.LaneLease;
import dev.spream.outbox.LaneShare;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that a worker holds: those that it works on, and those above its share, which it leaves when nothing of them is under
 * way any more. Confined to its {@link OrderedClaimPlanner}.
 */
final class HeldLanes {
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final Set<Integer> leaving = new TreeSet<>();
    private final int[] busy = new int[LaneLease.LANES];

    /**
     * Takes note of what is held now.
     *
     * @param onDrop told each lane that is not worked on any more
     */
    void hold(LaneShare held, Consumer<Integer> onDrop) {
        Map<Integer, LaneLease> leases = new HashMap<>();
        held.held().forEach(lease -> leases.put(lease.lane(), lease));
        List.copyOf(lanes.values()).stream()
                .filter(lane -> !lane.lease.equals(leases.get(lane.lease.lane())))
                .forEach(lane -> drop(lane, onDrop));
        leaving.retainAll(leases.keySet());
        stay(held.share() - (leases.size() - leaving.size()));
        leases.values().stream()
                .filter(lease -> !leaving.contains(lease.lane()))
                .forEach(lease -> lanes.computeIfAbsent(lease.lane(), any -> new Lane(lease)));
        leave(lanes.size() - held.share(), onDrop);
    }

    private void drop(Lane lane, Consumer<Integer> onDrop) {
        lanes.remove(lane.lease.lane());
        onDrop.accept(lane.lease.lane());
    }

    private void stay(int more) {
        List.copyOf(leaving).stream().limit(Math.max(0, more)).forEach(leaving::remove);
    }

    private void leave(int surplus, Consumer<Integer> onDrop) {
        lanes.values().stream()
                .sorted(Comparator.comparing((Lane lane) -> busy[lane.lease.lane()] > 0)
                        .thenComparingInt(lane -> lane.lease.lane()))
                .limit(Math.max(0, surplus))
                .toList()
                .forEach(lane -> {
                    drop(lane, onDrop);
                    leaving.add(lane.lease.lane());
                });
    }

    /** Lanes to give up now; they are held no more. */
    Set<Integer> leaveIdle() {
        Set<Integer> idle = leaving.stream().filter(lane -> busy[lane] == 0).collect(Collectors.toSet());
        leaving.removeAll(idle);
        return idle;
    }

    boolean hasIdleToLeave() {
        return leaving.stream().anyMatch(lane -> busy[lane] == 0);
    }

    Collection<Lane> all() {
        return lanes.values();
    }

    /** A lane that is worked on; null if it is not. */
    @Nullable
    Lane find(int lane) {
        return lanes.get(lane);
    }

    boolean contains(int lane) {
        return lanes.containsKey(lane);
    }

    /** So many more entries of a lane are kept that wait for nothing but their turn. */
    void count(int lane, int entries) {
        Lane state = lanes.get(lane);
        if (state != null) {
            state.queued += entries;
        }
    }

    /** A key of a lane has an entry under way, or has none any more. */
    void countBusy(int lane, int keys) {
        busy[lane] += keys;
    }

    /** A lane that is worked on, and how far it was read. */
    static final class Lane {
        final LaneLease lease;

        /** The last id that was read going forward. */
        long readTo;

        /** Whether there was nothing behind it. */
        boolean atEnd;

        /** The last id that was read looking for what was committed late. */
        long lookedTo;

        /** Number of entries kept that wait only for their turn. */
        int queued;

        Lane(LaneLease lease) {
            this.lease = lease;
        }
    }
}
