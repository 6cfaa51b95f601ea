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
import java.util.stream.IntStream;

/**
 * Draws transactions, in commit order: each changes some keys, in several records, of several rows, in several partitions.
 * Where they are to be delivered whole, those of one timestamp have different keys in any case, as Spanner sees to, and
 * rows may be large.
 */
final class SimulatedTransactions {

    /** A change, and where it is: behind that many records of a partition. */
    record Placed(DataChangeRecord row, SimulatedPartition partition, int position) {}

    /** Some of them take all memory that a process may have. */
    private static final List<JsonObject> LARGE = IntStream.of(20_000, 100_000, 250_000, 600_000)
            .mapToObj(length -> JsonObject.of(Map.of("Text", "x".repeat(length))))
            .toList();

    private static final int LARGEST_TRANSACTION = 7;

    private final RandomGenerator random;
    private final int keys;
    private final BiFunction<Integer, Instant, SimulatedPartition> holderOf;
    private final List<Placed> changes = new ArrayList<>();
    private final boolean whole;
    private final Set<Integer> free = new HashSet<>(); // of the keys, at the latest time
    private final List<JsonObject> values;
    private Instant freeAt = Instant.MIN;
    private int transactions;
    private Instant sequencedAt = Instant.MIN;
    private int nextSequence;

    /**
     * A source of transactions.
     *
     * @param whole whether they are to be delivered whole
     * @param holderOf the partition that has a key at a time
     */
    SimulatedTransactions(
            RandomGenerator random,
            int keys,
            boolean whole,
            BiFunction<Integer, Instant, SimulatedPartition> holderOf) {
        this.random = random;
        this.keys = keys;
        this.whole = whole;
        this.values = whole ? List.of(JsonObject.EMPTY, LARGE.get(random.nextInt(LARGE.size()))) : List.of();
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
        if (!whole || !freeAt.equals(at)) {
            freeAt = at;
            for (int key = 0; key < keys; key++) {
                free.add(key);
            }
        }
        for (double left = expected; left > 0 && random.nextDouble() < left; left -= 0.5) {
            commit(at, sequenced);
        }
    }

    private void commit(Instant at, boolean sequenced) {
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
        int records = 1 + random.nextInt(whole ? LARGEST_TRANSACTION : 4);
        List<Part> parts = new ArrayList<>();
        for (int sequence = 0; sequence < records; sequence++) {
            int key = ordered.get(random.nextInt(ordered.size()));
            SimulatedPartition partition = holderOf.apply(key, at);
            List<Integer> rows = ordered.stream()
                    .filter(other -> other == key || (partition.keys.contains(other) && random.nextInt(3) == 0))
                    .toList();
            String text = sequenced ? nextSequence(at) : "%08d".formatted(sequence);
            JsonObject value = whole ? values.get(random.nextInt(values.size())) : JsonObject.EMPTY;
            parts.add(new Part(partition, text, rows, value));
        }
        int partitions = (int) parts.stream().map(Part::partition).distinct().count();
        for (Part part : parts) {
            DataChangeRecord row = row(at, transaction, part, records, partitions);
            changes.add(
                    new Placed(row, part.partition(), part.partition().records.size()));
            part.partition().records.add(row);
        }
    }

    /** A record of a transaction that is being drawn. */
    private record Part(SimulatedPartition partition, String sequence, List<Integer> keys, JsonObject value) {}

    /** Returns the sequence of the next record at that time, whatever its type and partition. */
    String nextSequence(Instant at) {
        if (!sequencedAt.equals(at)) {
            sequencedAt = at;
            nextSequence = 0;
        }
        return "%08d".formatted(nextSequence++);
    }

    private static DataChangeRecord row(Instant at, String transaction, Part part, int records, int partitions) {
        return new DataChangeRecord(
                at,
                part.sequence(),
                transaction,
                false,
                "Accounts",
                List.of(),
                part.keys().stream()
                        .map(key -> new Mod(
                                JsonObject.of(Map.of("Id", Integer.toString(key))), part.value(), JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                records,
                partitions,
                "",
                false);
    }
}
