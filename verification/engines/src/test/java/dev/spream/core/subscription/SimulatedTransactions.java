package dev.spream.core.subscription;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

/** Draws transactions, in commit order: each changes some keys, in several records, of several rows, in several partitions. */
final class SimulatedTransactions {

    /** A change, and where it is: behind that many records of a partition. */
    record Placed(DataChangeRecord row, SimulatedPartition partition, int position) {}

    private final RandomGenerator random;
    private final int keys;
    private final BiFunction<Integer, Instant, SimulatedPartition> holderOf;
    private final List<Placed> changes = new ArrayList<>();
    private int transactions;
    private Instant sequencedAt = Instant.MIN;
    private int nextSequence;

    /** @param holderOf the partition that has a key at a time */
    SimulatedTransactions(RandomGenerator random, int keys, BiFunction<Integer, Instant, SimulatedPartition> holderOf) {
        this.random = random;
        this.keys = keys;
        this.holderOf = holderOf;
    }

    /** All changes, in commit order. */
    List<Placed> changes() {
        return changes;
    }

    /** Adds transactions at that time, of different keys, as their locks see to. */
    void commit(Instant at, double expected) {
        commit(at, expected, false);
    }

    /**
     * Adds transactions at that time.
     *
     * @param sequenced whether record sequences grow within a timestamp, and not only within a transaction
     */
    void commit(Instant at, double expected, boolean sequenced) {
        Set<Integer> free = new HashSet<>();
        for (int key = 0; key < keys; key++) {
            free.add(key);
        }
        for (double left = expected; left > 0 && random.nextDouble() < left; left -= 0.5) {
            commit(at, free, sequenced);
        }
    }

    private void commit(Instant at, Set<Integer> free, boolean sequenced) {
        String transaction = "t%03d-%d".formatted(random.nextInt(1000), transactions++);
        Set<Integer> mine = new HashSet<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int key = random.nextInt(keys);
            if (free.remove(key)) {
                mine.add(key);
            }
        }
        if (mine.isEmpty()) {
            return;
        }
        List<Integer> ordered = mine.stream().sorted().toList();
        int records = 1 + random.nextInt(4);
        for (int sequence = 0; sequence < records; sequence++) {
            int key = ordered.get(random.nextInt(ordered.size()));
            SimulatedPartition partition = holderOf.apply(key, at);
            List<Integer> rows = ordered.stream()
                    .filter(other -> other == key || (partition.keys.contains(other) && random.nextInt(3) == 0))
                    .toList();
            String text = sequenced ? nextSequence(at) : "%08d".formatted(sequence);
            DataChangeRecord row = row(at, transaction, text, rows);
            changes.add(new Placed(row, partition, partition.records.size()));
            partition.records.add(row);
        }
    }

    /** Returns the sequence of the next record at that time, whatever its type and partition. */
    String nextSequence(Instant at) {
        if (!sequencedAt.equals(at)) {
            sequencedAt = at;
            nextSequence = 0;
        }
        return "%08d".formatted(nextSequence++);
    }

    private static DataChangeRecord row(Instant at, String transaction, String sequence, List<Integer> keys) {
        return new DataChangeRecord(
                at,
                sequence,
                transaction,
                false,
                "Accounts",
                List.of(),
                keys.stream()
                        .map(key -> new Mod(
                                JsonObject.of(Map.of("Id", Integer.toString(key))), JsonObject.EMPTY, JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }
}
