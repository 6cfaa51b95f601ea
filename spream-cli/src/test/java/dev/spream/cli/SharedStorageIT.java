package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Readers that share a storage, processes as a user starts them; and the commands that look at it. */
final class SharedStorageIT {
    private static final long TIMEOUT_NANOS = 120_000_000_000L;

    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = ItemWriter.database(server);
    private final Instant created = Instant.now();

    @ParameterizedTest
    @MethodSource("onSpanner")
    void a_second_reader_continues_where_a_killed_one_stopped(String kind) throws Exception {
        try (SharedStorage storage = SharedStorage.of(kind, server, database);
                ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess killed = tail(storage, "--start", created.toString(), "--worker", "killed")) {
            killed.awaitOut(50);
            killed.close();
            try (SpreamProcess second = tail(storage, "--start", "-5m", "--worker", "second")) {
                second.awaitOut(50);
                long written = writer.stop();
                awaitDelivered(written, killed, second);
                second.terminate();
                assertThat(second.exitCode()).as("%s", second.err()).isZero();
                assertThat(second.err().getLast())
                        .containsPattern("resumed [1-9]")
                        .endsWith("ended by a signal");
            }
            refusesAnotherStart(storage);
            showsPartitions(storage);
            refusesAnotherStream(storage);
            cleansUp(storage);
            exports(storage);
            findsWhatIsSpoilt(storage);
        }
    }

    @ParameterizedTest
    @MethodSource("onPostgres")
    @Tag("proof")
    void readers_that_start_together_share_the_partitions(String kind) throws Exception {
        try (SharedStorage storage = SharedStorage.of(kind, server, database);
                SpreamProcess one = tail(storage, "--start", "now");
                SpreamProcess other = tail(storage, "--start", "now");
                ItemWriter writer = new ItemWriter(server, database)) {
            one.awaitOut(1);
            other.awaitOut(1);
            await(() -> workers(storage) == 2, one, other);
            writer.stop();
            for (SpreamProcess reader : List.of(one, other)) {
                reader.terminate();
                assertThat(reader.exitCode()).as("%s", reader.err()).isZero();
            }
            assertThat(workers(storage)).isZero();
            assertThat(spream(storage, "verify").getLast()).startsWith("verify: proven; ");
        }
    }

    @ParameterizedTest
    @MethodSource("onSpanner")
    @Tag("proof")
    void a_subscription_that_has_an_end_is_completed_once_and_proven(String kind) throws Exception {
        try (SharedStorage storage = SharedStorage.of(kind, server, database);
                ItemWriter writer = new ItemWriter(server, database)) {
            for (int run = 1; run <= 2; run++) {
                try (SpreamProcess tail = tail(storage, "--start", "now", "--end", "+3s")) {
                    assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
                    assertThat(tail.err().getLast()).endsWith("ended by the end timestamp");
                    assertThat(tail.out().isEmpty()).as("run %d", run).isEqualTo(run == 2);
                }
            }
            assertThat(writer.stop()).isPositive();
            assertThat(spream(storage, "verify").getLast())
                    .startsWith("verify: proven; ")
                    .endsWith("; the subscription is completed");
        }
    }

    static Stream<String> onPostgres() {
        return SpannerServers.areAll() ? Stream.of("jdbc", "spanner") : Stream.of("jdbc");
    }

    static Stream<String> onSpanner() {
        return SpannerServers.areAll() ? Stream.of("jdbc", "spanner") : Stream.of("spanner");
    }

    private void refusesAnotherStart(SharedStorage storage) {
        List<String> arguments = new ArrayList<>(storage.reader());
        arguments.addAll(List.of("-d", database.getName(), "-s", "Changes", "--start", "2020-01-01T00:00:00Z"));
        assertThat(run(1, "tail", arguments).err())
                .singleElement()
                .asString()
                .contains("start is " + created, "requested is 2020-01-01T00:00:00Z", "Use the stored values");
    }

    private void showsPartitions(SharedStorage storage) {
        List<String> tree = spream(storage, "partitions", "--database", database.getName());
        assertThat(tree.getFirst()).startsWith("Changes from " + created + " without end: low watermark ");
        assertThat(tree).anyMatch(line -> line.startsWith("PARTITION ") && line.contains(" WATERMARK "));
        JsonObject all = json(storage, "partitions", "--all", "--json");
        assertThat(all.objects("partitions")).hasSizeGreaterThan(3);
        assertThat(spream(storage, "partitions", "--all", "--dot"))
                .startsWith("digraph partitions {")
                .endsWith("}")
                .hasSizeGreaterThan(all.objects("partitions").size());
        assertThat(spream(storage, "verify").getLast()).startsWith("verify: proven; ");
    }

    private void refusesAnotherStream(SharedStorage storage) {
        assertThat(run(1, storage, "verify", "--stream", "Other").err())
                .singleElement()
                .asString()
                .contains("Other");
    }

    private void cleansUp(SharedStorage storage) {
        assertThat(spream(storage, "cleanup", "--finished-before", "-1d"))
                .singleElement()
                .asString()
                .startsWith("cleanup: removed 0 partitions finished before ");
        String line = spream(storage, "cleanup", "--finished-before", "now").getFirst();
        assertThat(line).containsPattern("^cleanup: removed [1-9]\\d* partitions finished before ");
        JsonObject verdict = json(storage, "verify", "--json");
        assertThat(verdict.get("proven")).isEqualTo(true);
        assertThat(verdict.int64("removed").orElseThrow()).isPositive();
    }

    /** The reader that was killed is still registered until its lease time has passed. */
    private void exports(SharedStorage storage) {
        String table = "Beam_" + storage.getClass().getSimpleName();
        await(() -> workers(storage) == 0);
        assertThat(spream(storage, "export", "--for", "beam", "--to-table", table, "--to-database", database.getName()))
                .singleElement()
                .asString()
                .matches("export: wrote [1-9]\\d* partitions to table %s of %s; start the pipeline .*"
                        .formatted(table, database.getName()));
    }

    /** The oldest unfinished partition, whose parents are finished: its row begins later, and then is gone. */
    private void findsWhatIsSpoilt(SharedStorage storage) {
        JsonObject partition = json(storage, "partitions", "--json").objects("partitions").stream()
                .filter(row -> !row.string("state").orElseThrow().equals("FINISHED"))
                .min(Comparator.comparing(SharedStorageIT::start))
                .orElseThrow();
        String token = partition.string("token").orElseThrow();
        Instant start = start(partition);
        storage.setStart(token, start.plusNanos(1));
        assertThat(failed(storage, "verify"))
                .anyMatch(line -> line.startsWith("TIME_UNCOVERED: ")
                        && line.endsWith(
                                "the time between is not covered, from %s to %s".formatted(start, start.plusNanos(1))))
                .last()
                .asString()
                .containsPattern("^verify: \\d+ findings?; ");
        storage.forget(token);
        assertThat(failed(storage, "verify")).anyMatch(line -> line.startsWith("CHILD_MISSING: "));
    }

    private static Instant start(JsonObject partition) {
        return Instant.parse(partition.string("start_timestamp").orElseThrow());
    }

    private SpreamProcess tail(SharedStorage storage, String... more) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("tail", "-d", database.getName(), "-s", "Changes", "--lease-time", "2s"));
        all.addAll(storage.reader());
        all.addAll(List.of(more));
        return SpreamProcess.spreamOn(server.emulatorHost(), all.toArray(String[]::new));
    }

    /** Returns the output of a successful command. */
    private List<String> spream(SharedStorage storage, String command, String... more) {
        CommandRun run = run(0, storage, command, more);
        assertThat(run.err()).isEmpty();
        return run.out();
    }

    private List<String> failed(SharedStorage storage, String command) {
        return run(1, storage, command).out();
    }

    private CommandRun run(int exitCode, SharedStorage storage, String command, String... more) {
        List<String> arguments = new ArrayList<>(storage.operator());
        arguments.addAll(List.of(more));
        return run(exitCode, command, arguments);
    }

    private CommandRun run(int exitCode, String command, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(command, "--emulator-host", server.emulatorHost()));
        all.addAll(arguments);
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s", run).isEqualTo(exitCode);
        return run;
    }

    private JsonObject json(SharedStorage storage, String command, String... more) {
        List<String> lines = spream(storage, command, more);
        assertThat(lines).hasSize(1);
        return JsonObject.of(lines.getFirst());
    }

    private long workers(SharedStorage storage) {
        return json(storage, "partitions", "--json").objects("workers").stream()
                .filter(worker -> Boolean.TRUE.equals(worker.get("alive")))
                .count();
    }

    private static void awaitDelivered(long items, SpreamProcess... readers) {
        Map<SpreamProcess, Integer> seen = new HashMap<>();
        TreeSet<Long> missing = new TreeSet<>();
        LongStream.range(0, items).forEach(missing::add);
        await(
                () -> {
                    for (SpreamProcess reader : readers) {
                        List<String> lines = reader.out();
                        lines.subList(seen.getOrDefault(reader, 0), lines.size())
                                .forEach(line -> missing.remove(id(line)));
                        seen.put(reader, lines.size());
                    }
                    return missing.isEmpty();
                },
                readers);
    }

    /** A process that was killed may have left half a line. */
    private static long id(String line) {
        return line.endsWith("}")
                ? ChangeRecordJson.readDataChange(line)
                        .mods()
                        .getFirst()
                        .keys()
                        .int64("Id")
                        .orElseThrow()
                : -1;
    }

    private static void await(BooleanSupplier condition, SpreamProcess... readers) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain; errors %s"
                        .formatted(
                                Arrays.stream(readers).map(SpreamProcess::err).toList()));
            }
            LockSupport.parkNanos(100_000_000);
        }
    }
}
