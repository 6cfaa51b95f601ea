package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Spanner;
import com.google.gson.JsonObject;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes one workload to our emulator and to Google's, and compares the change streams' records to the letter, but for the
 * {@link Quirk}s. Where Google's is not found, our emulator is held against what was written alone, and a line says so.
 */
@Timeout(300)
class EmulatorDifferentialIT {
    private static final long SEED = 20_261_120;
    private static final int TRANSACTIONS = Integer.getInteger("differential.transactions", 60);
    private static final int MOVE_EVERY = 20;
    private static final int SHOWN = 20;

    private static final Map<Quirk, Integer> APPLIED = new EnumMap<>(Quirk.class);
    private static final Map<String, Outcome> OURS = new HashMap<>();

    @BeforeAll
    static void start() {
        if (SpannerServers.google().isEmpty()) {
            System.out.println("Differential test: Google's emulator was not found, so our emulator is compared with"
                    + " what the workload wrote, and with nothing else");
        }
    }

    @AfterAll
    static void report() {
        APPLIED.forEach((quirk, times) ->
                System.out.printf("Differential test: %s, %d times: %s%n", quirk, times, quirk.sentence()));
    }

    /** In GoogleSQL; {@code -Dmatrix=true} adds PostgreSQL. */
    static Stream<Arguments> databases() {
        Stream<Dialect> dialects = SpannerServers.areAll()
                ? Stream.of(Dialect.GOOGLE_STANDARD_SQL, Dialect.POSTGRESQL)
                : Stream.of(Dialect.GOOGLE_STANDARD_SQL);
        return dialects.flatMap(dialect -> Streams.ALL.stream().map(streams -> Arguments.of(dialect, streams)));
    }

    /** Those, and in PostgreSQL at least the streams with all values of each type. */
    static Stream<Arguments> comparedDatabases() {
        return SpannerServers.areAll()
                ? databases()
                : Stream.concat(databases(), Stream.of(Arguments.of(Dialect.POSTGRESQL, Streams.ALL.getFirst())));
    }

    private static Workload workload(Streams streams) {
        return streams.bearReplacedRows()
                ? Workload.of(SEED, TRANSACTIONS)
                : Workload.withoutReplacedRows(SEED, TRANSACTIONS);
    }

    /** The records of a workload in a server's streams. */
    private record Outcome(List<Timestamp> committed, Map<String, Changes> byStream) {
        Changes of(Streams.Stream stream) {
            return Optional.ofNullable(byStream.get(stream.name())).orElseThrow();
        }
    }

    @ParameterizedTest
    @MethodSource("comparedDatabases")
    void both_emulators_report_the_same_records(Dialect dialect, Streams streams) {
        Workload workload = workload(streams);
        Outcome ours = ours(dialect, streams, workload);
        List<String> differences = new ArrayList<>();
        for (Streams.Stream stream : streams.streams()) {
            if (stream.seesEverything()) {
                differences.addAll(WrittenRows.differences(workload, stream, ours.of(stream)));
            }
        }
        SpannerServers.google().ifPresent(server -> {
            DatabaseId id = server.createDatabase(dialect, streams.ddl(dialect));
            Outcome googles = run(server, id, dialect, streams, workload, step -> {});
            for (Streams.Stream stream : streams.streams()) {
                differences.addAll(compare(workload, stream, ours.of(stream), googles));
            }
        });
        assertThat(differences.stream().limit(SHOWN)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void our_emulator_over_googles_reports_the_same_records(Dialect dialect, Streams streams) {
        Workload workload = workload(streams);
        Outcome ours = ours(dialect, streams, workload);
        List<String> differences = new ArrayList<>();
        QuietEmulators.overGoogles().ifPresent(over -> {
            Outcome overs = ours(over, dialect, streams, workload);
            for (Streams.Stream stream : streams.streams()) {
                differences.addAll(compare(Quirk.OVER_GOOGLES, workload, stream, ours.of(stream), overs));
            }
        });
        assertThat(differences.stream().limit(SHOWN)).isEmpty();
    }

    private static List<String> compare(Workload workload, Streams.Stream stream, Changes ours, Outcome googles) {
        return compare(EnumSet.allOf(Quirk.class), workload, stream, ours, googles);
    }

    private static List<String> compare(
            Set<Quirk> quirks, Workload workload, Streams.Stream stream, Changes ours, Outcome googles) {
        List<String> differences = new ArrayList<>();
        for (int step = 0; step < workload.steps().size(); step++) {
            ComparedTransaction transaction = new ComparedTransaction(
                    step,
                    workload.steps().get(step),
                    ours.at(step),
                    googles.of(stream).at(step),
                    googles.committed());
            if (transaction.differences(stream.name()).isEmpty()) {
                continue;
            }
            for (Quirk quirk : quirks) {
                APPLIED.merge(quirk, quirk.apply(transaction), Integer::sum);
            }
            differences.addAll(transaction.differences(stream.name()));
        }
        return differences;
    }

    static Stream<Arguments> databasesWithAStreamOfEverything() {
        return databases()
                .filter(arguments ->
                        ((Streams) arguments.get()[1]).streams().stream().anyMatch(Streams.Stream::seesEverything));
    }

    @ParameterizedTest
    @MethodSource("databasesWithAStreamOfEverything")
    void our_emulator_reports_what_was_written_while_partitions_churn(Dialect dialect, Streams streams) {
        Workload workload = workload(streams);
        SpannerServer server = SpannerServers.ours();
        DatabaseId id = server.createDatabase(dialect, streams.ddl(dialect));
        Outcome outcome = run(server, id, dialect, streams, workload, step -> {});
        List<String> differences = new ArrayList<>();
        streams.streams().stream()
                .filter(Streams.Stream::seesEverything)
                .forEach(stream -> differences.addAll(WrittenRows.differences(workload, stream, outcome.of(stream))));
        assertThat(differences.stream().limit(SHOWN)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void both_emulators_give_a_query_the_same_result_type(Dialect dialect) {
        Streams streams = Streams.ALL.getFirst();
        List<SpannerServer> servers = new ArrayList<>(List.of(SpannerServers.ours()));
        SpannerServers.google().ifPresent(servers::add);
        List<String> types = new ArrayList<>();
        for (SpannerServer server : servers) {
            DatabaseId id = server.createDatabase(dialect, streams.ddl(dialect));
            try (Spanner spanner = server.client()) {
                DatabaseClient database = spanner.getDatabaseClient(id);
                Timestamp now = Workload.of(SEED, 1).write(database, dialect).getFirst();
                String stream = streams.streams().getFirst().name();
                types.add(new ChangeReader(database, dialect, stream, now).resultType(now));
                TableChanges.drop(spanner, id);
            }
        }
        assertThat(types.stream().distinct()).hasSize(1);
        assertThat(types.getFirst()).contains(dialect == Dialect.POSTGRESQL ? "read_json_old_and_new" : "ChangeRecord");
    }

    /** The records of our emulator, read once. */
    private static Outcome ours(Dialect dialect, Streams streams, Workload workload) {
        return OURS.computeIfAbsent(
                dialect + " " + streams, any -> ours(QuietEmulators.alone(), dialect, streams, workload));
    }

    /** All rows in one partition at any time, since Google's emulator knows no key ranges; it moves now and then. */
    private static Outcome ours(SpannerEmulator emulator, Dialect dialect, Streams streams, Workload workload) {
        SpannerServer server = QuietEmulators.server(emulator);
        DatabaseId id = server.createDatabase(dialect, streams.ddl(dialect));
        List<PartitionControl> partitions = streams.streams().stream()
                .map(stream -> emulator.partitions(id.getName(), stream.name()))
                .toList();
        partitions.forEach(EmulatorDifferentialIT::mergeAll);
        return run(server, id, dialect, streams, workload, step -> {
            if (step % MOVE_EVERY == 0) {
                partitions.forEach(each -> each.move(each.live().getFirst().token()));
            }
        });
    }

    private static void mergeAll(PartitionControl partitions) {
        while (partitions.live().size() > 1) {
            partitions.merge(
                    partitions.live().get(0).token(), partitions.live().get(1).token());
        }
    }

    private static Outcome run(
            SpannerServer server,
            DatabaseId id,
            Dialect dialect,
            Streams streams,
            Workload workload,
            IntConsumer before) {
        try (Spanner spanner = server.client()) {
            DatabaseClient database = spanner.getDatabaseClient(id);
            List<Timestamp> committed = workload.write(database, dialect, before);
            Map<String, Changes> byStream = new LinkedHashMap<>();
            for (Streams.Stream stream : streams.streams()) {
                ChangeReader reader = new ChangeReader(database, dialect, stream.name(), committed.getLast());
                byStream.put(stream.name(), Changes.of(reader.read(committed.getFirst()), committed));
            }
            TableChanges.drop(spanner, id);
            return new Outcome(committed, byStream);
        }
    }

    @Test
    void a_planted_difference_is_noticed() {
        Streams streams = Streams.ALL.getFirst();
        Streams.Stream stream = streams.streams().getFirst();
        Workload workload = workload(streams);
        Outcome outcome = ours(Dialect.GOOGLE_STANDARD_SQL, streams, workload);
        Changes truth = outcome.of(stream);
        assertThat(WrittenRows.differences(workload, stream, truth)).isEmpty();
        assertThat(same(workload, stream, truth, outcome, truth)).isEmpty();

        for (Changes wrong : planted(truth)) {
            assertThat(WrittenRows.differences(workload, stream, wrong)).isNotEmpty();
            assertThat(same(workload, stream, wrong, outcome, truth)).isNotEmpty();
        }
        Changes miscounted = changed(truth, record -> record.addProperty("number_of_records_in_transaction", 99));
        assertThat(same(workload, stream, miscounted, outcome, truth)).hasSize(1);
    }

    @Test
    void no_quirk_hides_a_planted_difference() {
        Streams streams = Streams.ALL.getFirst();
        Streams.Stream stream = streams.streams().getFirst();
        Workload workload = workload(streams);
        Outcome outcome = ours(Dialect.GOOGLE_STANDARD_SQL, streams, workload);
        for (Changes wrong : planted(outcome.of(stream))) {
            Outcome planted = new Outcome(outcome.committed(), Map.of(stream.name(), wrong));
            assertThat(compare(workload, stream, outcome.of(stream), planted)).isNotEmpty();
        }
    }

    /** The differences without any quirk, {@code wrong} in the place of Google's. */
    private static List<String> same(
            Workload workload, Streams.Stream stream, Changes wrong, Outcome outcome, Changes truth) {
        List<String> differences = new ArrayList<>();
        for (int step = 0; step < workload.steps().size(); step++) {
            differences.addAll(new ComparedTransaction(
                            step, workload.steps().get(step), truth.at(step), wrong.at(step), outcome.committed())
                    .differences(stream.name()));
        }
        return differences;
    }

    private static List<Changes> planted(Changes truth) {
        Changes lost = copy(truth);
        lost.steps().remove(lost.steps().firstKey());
        Changes doubled = changed(
                truth,
                record -> record.getAsJsonArray("mods").add(firstMod(record).deepCopy()));
        Changes otherKind = changed(truth, record -> record.addProperty("mod_type", "PLANTED"));
        Changes otherValue = changed(
                truth, record -> firstMod(record).getAsJsonObject("new_values").addProperty("c_string", "planted"));
        return List.of(lost, doubled, otherKind, otherValue);
    }

    private static JsonObject firstMod(JsonObject record) {
        return record.getAsJsonArray("mods").get(0).getAsJsonObject();
    }

    private static Changes changed(Changes truth, Consumer<JsonObject> change) {
        Changes copy = copy(truth);
        change.accept(copy.steps().firstEntry().getValue().getFirst());
        return copy;
    }

    private static Changes copy(Changes truth) {
        TreeMap<Integer, List<JsonObject>> steps = new TreeMap<>();
        truth.steps()
                .forEach((step, records) -> steps.put(
                        step, records.stream().map(JsonObject::deepCopy).toList()));
        return new Changes(steps);
    }
}
