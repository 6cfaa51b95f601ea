package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.children;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.renameOrder;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.emulator.internal.schema.RowChange;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class PartitionChurnPropertyTest {
    private static final int STEPS = 400;
    private static final int KEYS = 40;
    private static final long SEEDS = Long.getLong("churn.seeds", 1);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void random_churn_loses_nothing_doubles_nothing_and_keeps_each_key_in_order(long seed) {
        DrivenClock time = DrivenClock.startingAt(T0);
        try (StreamRig rig = new StreamRig(time, seed)) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            Map<String, List<Instant>> committed = workload(rig, time, new Random(seed));
            Instant end = rig.clock.now();

            assertThat(byKey(lineage(rig, end))).as("seed %d", seed).isEqualTo(committed);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void moves_of_ranges_keep_each_key_in_order_for_readers_that_wait_for_the_sources(long seed) throws Exception {
        DrivenClock time = DrivenClock.startingAt(T0);
        try (StreamRig rig = StreamRig.mutable(time, seed, 2)) {
            Map<String, List<Instant>> committed = workload(rig, time, new Random(seed));
            Instant end = rig.clock.now();
            for (long order = 0; order < 3; order++) {
                assertThat(byKey(MovingKeysReader.read(rig, T0, end, order).deliver()))
                        .as("seed %d, order %d", seed, order)
                        .isEqualTo(committed);
            }
            assertOwnedOnce(rig.partitions());
        }
    }

    private static void assertOwnedOnce(PartitionControl partitions) {
        long next = 0;
        List<KeyRange> ranges = partitions.live().stream()
                .flatMap(view -> view.ranges().stream())
                .sorted(Comparator.comparingLong(KeyRange::from))
                .toList();
        for (KeyRange range : ranges) {
            assertThat(range.from()).isEqualTo(next);
            next = range.to();
        }
        assertThat(next).isEqualTo(KeyRange.SPACE);
    }

    private static Map<String, List<Instant>> byKey(List<ReadRow.Data> records) {
        Map<String, List<Instant>> read = new LinkedHashMap<>();
        for (ReadRow.Data record : records) {
            record.keys()
                    .forEach(key ->
                            read.computeIfAbsent(key, k -> new ArrayList<>()).add(record.commit()));
        }
        return read;
    }

    private static Map<String, List<Instant>> workload(StreamRig rig, DrivenClock time, Random random) {
        Map<String, List<Instant>> committed = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(4) == 0) {
                rig.churn(random);
            }
            if (random.nextInt(3) == 0) {
                time.advance(Duration.ofNanos(random.nextInt(5_000)));
            }
            List<RowChange> changes = random.ints(0, KEYS)
                    .distinct()
                    .limit(1 + random.nextInt(5))
                    .mapToObj(key -> renameOrder(key))
                    .toList();
            Instant at = rig.commit(changes.toArray(RowChange[]::new));
            for (RowChange change : changes) {
                String key = "{\"Id\":\""
                        + change.row().getOrDefault("Id", StreamRig.string("")).getStringValue() + "\"}";
                committed.computeIfAbsent(key, k -> new ArrayList<>()).add(at);
            }
        }
        return committed;
    }

    /** Reads as a careful client does: from the initial query on, children when all their parents are through. */
    private static List<ReadRow.Data> lineage(StreamRig rig, Instant end) {
        List<ReadRow.Data> records = new ArrayList<>();
        Map<String, ReadRow.Children> known = new LinkedHashMap<>();
        Map<String, List<String>> parents = new HashMap<>();
        Set<String> through = new HashSet<>();
        discover(rig.ask(query(null, T0, end)).rows(), known, parents);
        while (through.size() < known.size()) {
            String next = known.keySet().stream()
                    .filter(token -> !through.contains(token))
                    .filter(token -> through.containsAll(parents.getOrDefault(token, List.of())))
                    .findFirst()
                    .orElseThrow();
            List<ReadRow> rows = rig.ask(
                            query(next, known.getOrDefault(next, nothing()).start(), end))
                    .rows();
            List<ReadRow.Data> data = data(rows);
            assertThat(data).isSortedAccordingTo(ORDER).doesNotHaveDuplicates();
            assertThat(rows.subList(0, data.size())).allMatch(ReadRow.Data.class::isInstance);
            records.addAll(data);
            discover(rows, known, parents);
            through.add(next);
        }
        return records;
    }

    private static final Comparator<ReadRow.Data> ORDER = Comparator.comparing(ReadRow.Data::commit)
            .thenComparing(ReadRow.Data::transaction)
            .thenComparing(ReadRow.Data::sequence);

    private static ReadRow.Children nothing() {
        return new ReadRow.Children(T0, "", List.of());
    }

    private static void discover(
            List<ReadRow> rows, Map<String, ReadRow.Children> known, Map<String, List<String>> parents) {
        for (ReadRow.Children record : children(rows)) {
            for (ReadRow.Child child : record.children()) {
                known.put(child.token(), record);
                parents.put(child.token(), child.parents());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12})
    void live_partitions_cover_the_key_space_once_at_every_moment(long seed) {
        try (StreamRig rig = new StreamRig(DrivenClock.startingAt(T0), seed)) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            Random random = new Random(seed);
            Set<String> ends = new HashSet<>();
            for (int step = 0; step < 200; step++) {
                rig.churn(random);
                assertOwnedOnce(rig.partitions());
            }
            for (PartitionView partition : rig.partitions().all()) {
                assertThat(partition.token()).hasSize(140).matches("[A-Za-z0-9_-]+");
                assertThat(ends.add(partition.token().substring(132))).isTrue();
            }
            PartitionControl.Counts counts = rig.partitions().counts();
            assertThat(rig.partitions().all()).hasSize(2 + 2 * counts.splits() + counts.merges() + counts.moves());
        }
    }

    @Test
    void readers_that_run_during_automatic_churn_get_every_change_once() throws Exception {
        long seed = 21;
        PartitionChurn churn = PartitionChurn.every(Duration.ofMillis(5));
        try (StreamRig rig =
                        new StreamRig(InstantSource.system(), seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 2, churn);
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            Instant start = rig.clock.now();
            Instant end = start.plusSeconds(2);
            Map<String, RowCollector> queries = new HashMap<>();
            List<Future<Integer>> written = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                int first = writer * 1_000_000;
                written.add(writers.submit(() -> write(rig, first, end.minusMillis(500), end)));
            }
            List<ReadRow.Data> read = new ArrayList<>();
            follow(rig, rig.ask(query(null, start, end)).rows(), end, queries, read);
            int expected = 0;
            for (Future<Integer> count : written) {
                expected += count.get();
            }
            List<String> keys =
                    read.stream().flatMap(record -> record.keys().stream()).toList();
            assertThat(keys).doesNotHaveDuplicates().hasSize(expected).hasSizeGreaterThan(100);
            assertThat(rig.partitions().counts().splits()).isPositive();
            assertThat(rig.partitions().counts().merges()).isPositive();
            assertThat(rig.partitions().counts().moves()).isPositive();
        }
    }

    @Test
    void readers_that_run_while_ranges_move_get_every_change_once() throws Exception {
        long seed = 21;
        PartitionChurn churn = PartitionChurn.every(Duration.ofMillis(50)).weights(1, 1, 3);
        try (StreamRig rig =
                        new StreamRig(InstantSource.system(), seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 2, churn);
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            rig.ddl(StreamRig.MUTABLE);
            Instant start = rig.clock.now();
            Instant end = start.plusSeconds(1);
            List<Future<Integer>> written = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                int first = writer * 1_000_000;
                written.add(writers.submit(() -> write(rig, first, end.minusMillis(300), end)));
            }
            // Runs until the end; the other partitions are then read from their start on.
            List<ReadRow.Data> read =
                    MovingKeysReader.read(rig, start, end, seed).deliver();
            int expected = 0;
            for (Future<Integer> count : written) {
                expected += count.get();
            }
            assertThat(read.stream().flatMap(record -> record.keys().stream()))
                    .doesNotHaveDuplicates()
                    .hasSize(expected)
                    .hasSizeGreaterThan(100);
            assertThat(rig.partitions().counts().moves()).isPositive();
        }
    }

    /** Writes, and returns how many of its commits are not after the end: a busy machine can hold up the last one. */
    private static int write(StreamRig rig, int first, Instant until, Instant end) {
        int inTime = 0;
        for (int count = 0; rig.clock.now().isBefore(until) && count < 5_000; count++) {
            inTime += rig.commit(insertOrder(first + count)).isAfter(end) ? 0 : 1;
        }
        return inTime;
    }

    private static void follow(
            StreamRig rig, List<ReadRow> rows, Instant end, Map<String, RowCollector> queries, List<ReadRow.Data> read)
            throws InterruptedException {
        for (ReadRow.Children record : children(rows)) {
            for (ReadRow.Child child : record.children()) {
                if (queries.containsKey(child.token())) {
                    continue;
                }
                RowCollector query = rig.open(query(child.token(), record.start(), end));
                queries.put(child.token(), query);
                assertThat(query.awaitEnd()).isEqualTo(Status.OK);
                read.addAll(data(query.rows()));
                follow(rig, query.rows(), end, queries, read);
            }
        }
    }
}
