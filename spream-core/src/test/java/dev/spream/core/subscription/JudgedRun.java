package dev.spream.core.subscription;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a {@link SimulationJudge} knows of one process. */
final class JudgedRun {
    /** The latest for each partition. */
    final Map<PartitionToken, JudgedHold> holds = new LinkedHashMap<>();

    final List<JudgedHold> allHolds = new ArrayList<>();
    final Set<RecordIdentity> settled = new HashSet<>();
    final List<SimulatedWorld.Change> unflushed = new ArrayList<>();
    final Set<SimulatedCursor> openCursors = new LinkedHashSet<>();

    /** The keys of changes that are on their way through the consumer, and who holds them. */
    final Map<RecordKey, JudgedHold> busyKeys = new HashMap<>();

    int calls;
}
