package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The state of one process in a {@link SimulationJudge}. */
final class JudgedRun {
    final SimulatedProcess process;

    /** The latest for each partition. */
    final Map<PartitionToken, JudgedHold> holds = new LinkedHashMap<>();

    final List<JudgedHold> allHolds = new ArrayList<>();
    final Set<RecordIdentity> settled = new HashSet<>();

    /** The records that were settled and flushed, or dead-lettered, here. */
    final Set<RecordIdentity> durable = new HashSet<>();

    final List<SimulatedWorld.Change> unflushed = new ArrayList<>();
    final Set<SimulatedCursor> openCursors = new LinkedHashSet<>();
    int calls;

    /** The number of times that each change is in the buffer of transactions. */
    final Map<RecordIdentity, Integer> buffered = new HashMap<>();

    /** True once it has opened the subscription; before, it may only check the response to the first query. */
    boolean opened;

    /** Until when the process is paused, or does not reach the storage, on the machine's clock. */
    long absentUntil;

    /** Until when its last registration lasts, on the machine's clock. */
    long registeredUntil;

    /** True once it was stopped, or has a reason to stop. */
    boolean leaving;

    JudgedRun(SimulatedProcess process) {
        this.process = process;
    }

    boolean mayProbe(PartitionToken token) {
        return token.isRoot() && !opened;
    }

    Optional<JudgedHold> hold(PartitionLease lease) {
        JudgedHold latest = holds.get(lease.token());
        if (latest != null && latest.isUnder(lease)) {
            return Optional.of(latest);
        }
        return allHolds.stream().filter(hold -> hold.isUnder(lease)).findFirst();
    }
}
