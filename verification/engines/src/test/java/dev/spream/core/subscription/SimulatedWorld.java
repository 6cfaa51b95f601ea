package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The truth of one simulated history: all partitions of a change stream and all changes, before they are read. Only
 * the time decides which part of it a server shows. Extends beyond the end of the subscription.
 */
final class SimulatedWorld {

    /** A change, where it is, and its place in the history of each of its keys. */
    record Change(
            DataChangeRecord row,
            RecordIdentity identity,
            SimulatedPartition partition,
            int position,
            Map<RecordKey, Integer> keys) {}

    /** From a duration on that no history can live through: its processes begin when the world is almost over. */
    private static final Duration LONG = Duration.ofMinutes(10);

    final PartitionMode mode;
    final Instant start;
    final Instant end;
    private final Map<PartitionToken, SimulatedPartition> partitions;
    private final List<ChangeRecord> roots;

    private final Set<PartitionToken> forgotten = new HashSet<>();
    private final Set<PartitionToken> lost = new HashSet<>();
    private @Nullable Instant retainedFrom;
    private Instant lostBefore = Instant.MIN;
    private final Map<RecordIdentity, Change> changes = new LinkedHashMap<>();
    private final Map<RecordKey, List<Change>> histories = new HashMap<>();
    private final Map<PartitionToken, List<Change>> byPartition = new HashMap<>();

    /**
     * A world of these partitions, in which each stands behind its parents.
     *
     * @param roots what the initial query returns
     * @param start of the subscription, inclusive
     * @param end of the subscription, inclusive
     * @param changes in commit order
     */
    SimulatedWorld(
            PartitionMode mode,
            Instant start,
            Instant end,
            Map<PartitionToken, SimulatedPartition> partitions,
            List<ChangeRecord> roots,
            List<SimulatedTransactions.Placed> changes) {
        this.mode = mode;
        this.start = start;
        this.end = end;
        this.partitions = partitions;
        this.roots = roots;
        changes.stream()
                .filter(change -> !change.row().commitTimestamp().isAfter(end))
                .forEach(this::index);
    }

    private void index(SimulatedTransactions.Placed placed) {
        DataChangeRecord row = placed.row();
        Map<RecordKey, Integer> keys = new LinkedHashMap<>();
        Change change = new Change(row, row.identity(), placed.partition(), placed.position(), keys);
        for (RecordKey key : RecordKey.of(row)) {
            List<Change> history = histories.computeIfAbsent(key, k -> new ArrayList<>());
            keys.put(key, history.size());
            history.add(change);
        }
        byPartition
                .computeIfAbsent(placed.partition().token, token -> new ArrayList<>())
                .add(change);
        changes.put(change.identity(), change);
    }

    boolean isMutable() {
        return mode == PartitionMode.MUTABLE_KEY_RANGE;
    }

    /** Returns whether it lasts too long for processes to live through it. */
    boolean isLong() {
        return Duration.between(start, end).compareTo(LONG) > 0;
    }

    /** All changes that the subscription asks for. */
    Collection<Change> changes() {
        return changes.values();
    }

    /** Those of one partition, in the order in which a server returns them. */
    List<Change> changesOf(PartitionToken partition) {
        return byPartition.getOrDefault(partition, List.of());
    }

    @Nullable
    Change change(RecordIdentity identity) {
        return changes.get(identity);
    }

    /** All changes of a key that the subscription asks for, in commit order. */
    List<Change> history(RecordKey key) {
        return histories.getOrDefault(key, List.of());
    }

    @Nullable
    SimulatedPartition partition(PartitionToken token) {
        return partitions.get(token);
    }

    Collection<SimulatedPartition> partitions() {
        return partitions.values();
    }

    /** The partitions that the subscription has to read, its root included: what starts at the very end as well. */
    Set<PartitionToken> reachable() {
        Set<PartitionToken> reachable = new LinkedHashSet<>();
        reachable.add(PartitionToken.ROOT);
        for (SimulatedPartition partition : partitions.values()) {
            if (!partition.start.isAfter(end) && !forgotten.contains(partition.token)) {
                reachable.add(partition.token);
            }
        }
        return reachable;
    }

    /** The children of the initial query. */
    List<PartitionToken> roots() {
        return roots.stream()
                .flatMap(row -> SimulatedPartition.started(row).stream())
                .toList();
    }

    /** Returns the rows of the initial query at that time. */
    List<ChangeRecord> rootRows(Instant at) {
        if (!at.isAfter(start)) {
            return List.copyOf(roots);
        }
        List<SimulatedPartition> living = partitions.values().stream()
                .filter(partition -> !partition.token.isOfSnapshot() && partition.isLiving(at, isMutable()))
                .toList();
        return List.of(
                isMutable()
                        ? new PartitionStartRecord(
                                at,
                                "0",
                                living.stream()
                                        .map(partition -> partition.token.value())
                                        .toList())
                        : new ChildPartitionsRecord(
                                at,
                                "0",
                                living.stream()
                                        .map(partition -> ChildPartition.of(partition.token.value(), List.of()))
                                        .toList()));
    }

    /** Adds the rows of tables as of that time, each table in one partition; returns them. */
    List<Change> addSnapshot(Instant at, Collection<PartitionToken> tables) {
        List<Change> rows = new ArrayList<>();
        for (PartitionToken table : tables) {
            SimulatedPartition partition = SimulatedPartition.ofRows(table, at);
            partitions.put(table, partition);
            for (int row = 0; row < partition.records.size(); row++) {
                if (partition.records.get(row) instanceof DataChangeRecord change) {
                    index(new SimulatedTransactions.Placed(change, partition, row));
                    rows.add(requireNonNull(changes.get(change.identity())));
                }
            }
        }
        return rows;
    }

    /**
     * Records of these partitions from before a time are lost to the retention period.
     *
     * @param latest the latest time at which a query is refused: a late request may have stored a later watermark, which a
     *     process would not take for one that is lost
     */
    void lose(Set<PartitionToken> partitions, Instant before, Instant latest) {
        lost.addAll(partitions);
        retainedFrom = before;
        lostBefore = latest;
    }

    /** The time from which on the records of lost partitions are kept; null while none is lost. */
    @Nullable
    Instant retainedFrom() {
        return retainedFrom;
    }

    boolean isLost(PartitionToken partition, Instant from) {
        return from.isBefore(lostBefore) && (lost.contains(partition) || hasLostParent(partition));
    }

    /** A partition that continues one which ended before is lost too: it is older than the retention period. */
    private boolean hasLostParent(PartitionToken token) {
        SimulatedPartition partition = partitions.get(token);
        return partition != null && partition.parents.stream().anyMatch(this::isLostAtEnd);
    }

    /** Returns whether what the partition returns at its end is lost. */
    boolean isLostAtEnd(PartitionToken token) {
        SimulatedPartition partition = partitions.get(token);
        return partition != null && isLost(token, partition.end);
    }

    /** A partition need not be read any more. */
    void forget(PartitionToken partition) {
        forgotten.add(partition);
    }
}
