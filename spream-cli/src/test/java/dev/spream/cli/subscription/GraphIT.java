package dev.spream.cli.subscription;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.cli.CommandRun;
import dev.spream.core.record.JsonObject;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.servers.SpannerServer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code graph} shows the partitions that the emulator has, by its own account. */
final class GraphIT {
    @Test
    void splits_merges_and_moves_are_those_of_the_stream() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            SpannerServer server = new SpannerServer("ours", emulator.emulatorHost());
            DatabaseId database = database(server, "");
            PartitionControl control = emulator.partitions(database.getName(), "Changes");
            Instant start = Instant.now();
            write(server, database, 0);
            List<String> halves = control.split(control.live().getFirst().token());
            String moved = control.move(halves.getFirst());
            control.merge(moved, halves.getLast());
            write(server, database, 1);

            JsonObject graph =
                    JsonObject.of(graph(server, database, start, "--json").getFirst());
            Map<String, JsonObject> shown = partitions(graph);
            assertThat(graph.string("partition_mode")).contains("IMMUTABLE_KEY_RANGE");
            assertThat(control.all()).allSatisfy(expected -> {
                JsonObject partition =
                        requireNonNull(shown.get(expected.token()), () -> "%s of %s".formatted(expected, shown));
                assertThat(strings(partition, "parent_tokens")).containsExactlyInAnyOrderElementsOf(expected.parents());
                assertThat(partition.string("end_timestamp").map(Instant::parse))
                        .isEqualTo(expected.end());
                if (!expected.parents().isEmpty()) {
                    assertThat(partition.string("start_timestamp").map(Instant::parse))
                            .contains(expected.start());
                }
            });
            assertThat(shown.values().stream()
                            .mapToLong(partition -> partition.int64("changes").orElseThrow())
                            .sum())
                    .isEqualTo(2);

            List<String> tree = graph(server, database, start);
            assertThat(tree.getFirst()).startsWith("Changes from " + start).contains("splits 1, merges 1, moves 1");
            assertThat(tree)
                    .anyMatch(line -> line.contains("begins with "))
                    .anyMatch(line -> line.contains("splits into "))
                    .anyMatch(line -> line.contains("moves to "))
                    .anyMatch(line -> line.contains("merges into "))
                    .anyMatch(line -> line.endsWith("open; also continues " + abbreviated(halves.getLast()))
                            || line.endsWith("open; also continues " + abbreviated(moved)));
            List<String> dot = graph(server, database, start, "--dot");
            assertThat(dot.getFirst()).isEqualTo("digraph partitions {");
            assertThat(dot).contains("  \"%s\" -> \"%s\"".formatted(halves.getFirst(), moved));
        }
    }

    @Test
    void moved_key_ranges_are_those_of_the_stream() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            SpannerServer server = new SpannerServer("ours", emulator.emulatorHost());
            DatabaseId database = database(server, " OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')");
            PartitionControl control = emulator.partitions(database.getName(), "Changes");
            Instant start = Instant.now();
            List<PartitionView> live = control.live();
            PartitionView source = live.getFirst();
            String target = live.size() > 1
                    ? live.getLast().token()
                    : control.split(source.token()).getLast();
            PartitionView moving = control.live().stream()
                    .filter(partition -> !partition.token().equals(target))
                    .findFirst()
                    .orElseThrow();
            control.moveRange(moving.token(), moving.range(), target);

            JsonObject graph =
                    JsonObject.of(graph(server, database, start, "--json").getFirst());
            Map<String, JsonObject> shown = partitions(graph);
            assertThat(requireNonNull(shown.get(target)).objects("moves"))
                    .anySatisfy(move -> assertThat(strings(move, "sources")).containsExactly(moving.token()));
            assertThat(requireNonNull(shown.get(moving.token())).objects("moves"))
                    .anySatisfy(
                            move -> assertThat(strings(move, "destinations")).containsExactly(target));
            assertThat(graph(server, database, start))
                    .anyMatch(line -> line.contains("keys in from " + abbreviated(moving.token()) + " at "))
                    .anyMatch(line -> line.contains("keys out to " + abbreviated(target) + " at "));
            assertThat(graph(server, database, start, "--dot"))
                    .anyMatch(line -> line.startsWith(
                            "  \"%s\" -> \"%s\" [style=dashed, label=".formatted(moving.token(), target)));
        }
    }

    private static String abbreviated(String token) {
        return new dev.spream.core.partition.PartitionToken(token).abbreviated();
    }

    private static Map<String, JsonObject> partitions(JsonObject graph) {
        return graph.objects("partitions").stream()
                .collect(Collectors.toMap(partition -> partition.string("token").orElseThrow(), Function.identity()));
    }

    private static List<String> strings(JsonObject object, String name) {
        return Optional.ofNullable((List<?>) object.get(name)).orElse(List.of()).stream()
                .map(String::valueOf)
                .toList();
    }

    private static List<String> graph(SpannerServer server, DatabaseId database, Instant start, String... more) {
        CommandRun graph = CommandRun.of(Stream.concat(
                        Stream.of(
                                "graph",
                                "--emulator-host",
                                server.emulatorHost(),
                                "-d",
                                database.getName(),
                                "-s",
                                "Changes",
                                "--start",
                                start.toString()),
                        Stream.of(more))
                .toArray(String[]::new));
        assertThat(graph.exitCode()).as("%s", graph.err()).isZero();
        assertThat(graph.err()).isEmpty();
        return graph.out();
    }

    private static DatabaseId database(SpannerServer server, String options) {
        return server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM Changes FOR ALL" + options));
    }

    private static void write(SpannerServer server, DatabaseId database, long id) {
        try (Spanner spanner = server.client()) {
            spanner.getDatabaseClient(database)
                    .write(List.of(
                            Mutation.newInsertBuilder("Items").set("Id").to(id).build()));
        }
    }
}
