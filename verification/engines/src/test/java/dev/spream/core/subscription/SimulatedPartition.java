package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A partition of a simulated server: its lifetime, from its start inclusive to its end, the keys it contains meanwhile, and
 * its records. With immutable key ranges the end is exclusive, and the last records are its children; with mutable ones it
 * is inclusive, and the last record says that it is the last.
 */
final class SimulatedPartition {

    /**
     * Keys that came from another partition.
     *
     * @param position the number of records of this partition before them
     * @param source the partition that they came from
     * @param departure the number of records of the source before they left it
     * @param at the time at which they left
     * @param atEnd whether they left at the end of the source, which has to be finished
     */
    record Arrival(int position, SimulatedPartition source, int departure, Instant at, boolean atEnd) {}

    private static final int ROWS = 3;

    final PartitionToken token;
    final List<PartitionToken> parents;
    final int firstKey;
    final int endKey;
    final Instant start;

    /** The keys at the time up to which the world is built. */
    final Set<Integer> keys = new TreeSet<>();

    /** In the order in which they are returned. */
    final List<ChangeRecord> records = new ArrayList<>();

    /** In the order of their position. */
    final List<Arrival> arrivals = new ArrayList<>();

    Instant end = Instant.MAX;

    /**
     * A partition that lives for ever.
     *
     * @param endKey exclusive
     */
    SimulatedPartition(PartitionToken token, List<PartitionToken> parents, int firstKey, int endKey, Instant start) {
        this.token = token;
        this.parents = parents;
        this.firstKey = firstKey;
        this.endKey = endKey;
        this.start = start;
        for (int key = firstKey; key < endKey; key++) {
            keys.add(key);
        }
    }

    /** A partition that lives for ever, in a stream with mutable key ranges. */
    SimulatedPartition(PartitionToken token, Set<Integer> keys, Instant start) {
        this(token, List.of(), 0, 0, start);
        this.keys.addAll(keys);
    }

    /** The rows of an added snapshot of one table, which end with an end record. */
    static SimulatedPartition ofRows(PartitionToken token, Instant at) {
        SimulatedPartition partition = new SimulatedPartition(token, Set.of(), at);
        for (int row = 0; row < ROWS; row++) {
            partition.records.add(new DataChangeRecord(
                    at,
                    "%08d".formatted(row),
                    token.value() + row,
                    true,
                    token.value(),
                    List.of(),
                    List.of(new Mod(JsonObject.of(Map.of("Id", "row" + row)), JsonObject.EMPTY, JsonObject.EMPTY)),
                    "INSERT",
                    "NEW_ROW",
                    1,
                    1,
                    "",
                    false));
        }
        partition.end = at.plusNanos(1);
        partition.records.add(new PartitionEndRecord(partition.end, "", token.value()));
        return partition;
    }

    /** The rows of a query, heartbeats apart; both bounds inclusive. */
    List<ChangeRecord> rows(Instant from, Instant to) {
        return records.stream()
                .filter(row ->
                        !row.timestamp().isBefore(from) && !row.timestamp().isAfter(to))
                .toList();
    }

    boolean isLive() {
        return end.equals(Instant.MAX);
    }

    boolean isLiving(Instant at, boolean isMutable) {
        return !start.isAfter(at) && (isMutable ? !end.isBefore(at) : end.isAfter(at));
    }

    ChildPartition asChild() {
        return new ChildPartition(
                token.value(), parents.stream().map(PartitionToken::value).toList());
    }

    /** The destinations of keys at its end, in the order in which they are returned. */
    List<PartitionToken> children() {
        return records.stream()
                .filter(row -> row.timestamp().equals(end))
                .flatMap(row -> Stream.concat(
                        started(row).stream(),
                        row instanceof PartitionEventRecord event
                                ? event.moveOutDestinations().stream().map(PartitionToken::new)
                                : Stream.empty()))
                .distinct()
                .toList();
    }

    /** The partitions that are to be read from its end on. */
    List<PartitionToken> startedAtEnd() {
        return records.stream()
                .filter(row -> row.timestamp().equals(end))
                .flatMap(row -> started(row).stream())
                .toList();
    }

    /** The partitions that a record says are to be read. */
    static List<PartitionToken> started(ChangeRecord row) {
        return switch (row) {
            case ChildPartitionsRecord children ->
                children.childPartitions().stream()
                        .map(child -> new PartitionToken(child.token()))
                        .toList();
            case PartitionStartRecord start ->
                start.partitionTokens().stream().map(PartitionToken::new).toList();
            default -> List.of();
        };
    }

    private long changes() {
        return records.stream().filter(DataChangeRecord.class::isInstance).count();
    }

    @Override
    public String toString() {
        return "%s keys %s life [%s, %s) parents %s children %s, %d changes"
                .formatted(token, keys, start, isLive() ? "" : end, parents, children(), changes());
    }
}
