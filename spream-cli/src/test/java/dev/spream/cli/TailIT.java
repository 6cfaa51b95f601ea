package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.ModType;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command line as a user runs it: a process, its two outputs and its exit code. */
final class TailIT {
    private static final String SERVERS = "dev.spream.servers.SpannerServers#all";
    private static final long PAUSE_NANOS = 20_000_000;

    @ParameterizedTest
    @MethodSource(SERVERS)
    void tail_prints_what_was_written_and_ends_at_its_limit(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(), "tail", "-d", database.getName(), "-s", "Changes", "--limit", "5")) {
            writeUntil(server, database, tail, 5);
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(records(tail))
                    .hasSize(5)
                    .allSatisfy(change -> assertThat(change.tableName()).isEqualTo("Items"));
            assertThat(tail.err().getLast()).contains(" tail: 5 records in ").endsWith("ended by the limit");
        }
    }

    @Test
    void credentials_beside_the_emulator_of_the_environment_are_refused() throws Exception {
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                "127.0.0.1:1",
                "tail",
                "-d",
                "projects/p/instances/i/databases/d",
                "-s",
                "Changes",
                "--credentials-file",
                "key.json")) {
            assertThat(tail.exitCode()).isEqualTo(2);
            assertThat(tail.err().getLast())
                    .contains("--credentials-file is given, and SPANNER_EMULATOR_HOST is set to 127.0.0.1:1");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    @Tag("proof")
    void tail_ends_at_its_end_timestamp(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(),
                "tail",
                "-d",
                database.getName(),
                "-s",
                "Changes",
                "--start",
                "now",
                "--end",
                "+3s")) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(tail.err().getLast()).endsWith("ended by the end timestamp");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void a_signal_drains_and_is_a_success(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        try (SpreamProcess tail =
                SpreamProcess.spreamOn(server.emulatorHost(), "tail", "-d", database.getName(), "-s", "Changes")) {
            writeUntil(server, database, tail, 1);
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(tail.err())
                    .singleElement()
                    .asString()
                    .contains(" tail: ")
                    .endsWith("ended by a signal");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void a_missing_database_or_stream_is_reported_in_one_line_with_exit_code_1(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        assertThat(failure(server.emulatorHost(), database.getName(), "Chances"))
                .contains("Chances")
                .contains("Changes");
        assertThat(failure(server.emulatorHost(), database.getName() + "x", "Changes"))
                .contains(database.getDatabase() + "x");
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void only_the_chosen_changes_are_printed_and_counted(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(),
                "tail",
                "-d",
                database.getName(),
                "-s",
                "Changes",
                "--tables",
                "Ite*",
                "--mod-types",
                "delete,update",
                "--limit",
                "2")) {
            writeUntil(
                    server,
                    database,
                    tail,
                    2,
                    id -> List.of(
                            insert("Items", id),
                            insert("Others", id),
                            Mutation.delete("Others", Key.of(id - 1)),
                            Mutation.delete("Items", Key.of(id - 1))));
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(records(tail)).hasSize(2).allSatisfy(change -> {
                assertThat(change.tableName()).isEqualTo("Items");
                assertThat(change.modType()).isEqualTo(ModType.DELETE);
            });
            assertThat(tail.err().getLast()).containsPattern(" tail: 2 records, [1-9]\\d* filtered out, in ");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void all_records_have_their_kind_and_their_partition(SpannerServer server) throws Exception {
        DatabaseId database = database(server);
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(),
                "tail",
                "-d",
                database.getName(),
                "-s",
                "Changes",
                "--all-records",
                "--heartbeat-interval",
                "100ms")) {
            writeUntil(server, database, tail, 1);
            while (kinds(tail).size() < 3 && tail.isAlive()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(kinds(tail))
                    .contains(DataChangeRecord.class, HeartbeatRecord.class, ChildPartitionsRecord.class);
            List<String> tokens = tail.out().stream()
                    .flatMap(line -> JsonObject.of(line).string("partition_token").stream())
                    .distinct()
                    .toList();
            assertThat(children(tail)).containsAll(tokens);
        }
    }

    private static Set<Class<?>> kinds(SpreamProcess tail) {
        return tail.out().stream()
                .flatMap(line -> ChangeRecordJson.read(line).stream())
                .map(Object::getClass)
                .collect(Collectors.toSet());
    }

    private static List<String> children(SpreamProcess tail) {
        return tail.out().stream()
                .flatMap(line -> ChangeRecordJson.read(line).stream())
                .filter(ChildPartitionsRecord.class::isInstance)
                .flatMap(record -> ((ChildPartitionsRecord) record).childPartitions().stream())
                .map(ChildPartition::token)
                .toList();
    }

    @Test
    void text_is_a_line_a_row_for_people() throws Exception {
        try (SpreamProcess tail = SpreamProcess.spream(
                "tail", "--demo", "--format", "text", "--transactions", "20", "--duration", "1s")) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(tail.out())
                    .hasSizeGreaterThanOrEqualTo(40)
                    .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}  Accounts"
                            + "  (INSERT|UPDATE)  AccountId=\"[^\"]+\"  .*Balance: \\d+(→\\d+)?.*"));
        }
    }

    @Test
    void an_unreachable_server_gets_one_line_and_exit_code_1() throws Exception {
        String nobody = "127.0.0.1:" + freePort();
        try (SpreamProcess tail =
                SpreamProcess.spreamOn(nobody, "tail", "-d", "projects/p/instances/i/databases/d", "-s", "Changes")) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isEqualTo(1);
            assertThat(tail.out()).isEmpty();
            assertThat(tail.err()).singleElement().asString().startsWith("spream tail: no server answers at " + nobody);
        }
    }

    @Test
    void a_missing_permission_gets_one_line_and_exit_code_1() throws Exception {
        Status refusal =
                Status.PERMISSION_DENIED.withDescription("caller is missing IAM permission spanner.databases.select");
        try (RefusingServer refusing = RefusingServer.start(refusal)) {
            assertThat(failure(refusing.host(), "projects/p/instances/i/databases/d", "Changes"))
                    .startsWith("spream tail: ")
                    .contains("PERMISSION_DENIED", "missing IAM permission spanner.databases.select");
        }
    }

    @Test
    void a_question_has_the_time_that_the_user_gives() throws Exception {
        try (SilentSpanner silent = SilentSpanner.start()) {
            assertThat(failure(
                            silent.host(),
                            "projects/p/instances/i/databases/d",
                            "Changes",
                            "--connect-timeout",
                            "300ms"))
                    .contains("no answer within 300 ms");
        }
    }

    @Test
    void a_full_disk_gets_a_line_that_says_so_and_exit_code_1() throws Exception {
        List<String> shell = List.of("sh", "-c", "\"$@\" >/dev/full", "sh");
        Process process = shell(shell, "tail", "--demo", "--transactions", "20", "--duration", "1s");
        List<String> err = process.errorReader().lines().toList();
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(err.getLast()).startsWith("spream tail: ").contains("No space left on device");
        assertThat(err).noneMatch(line -> line.startsWith("\tat "));
    }

    @Test
    void a_stack_trace_comes_only_when_asked_for() throws Exception {
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                "127.0.0.1:" + freePort(), "tail", "-d", "projects/p/instances/i/databases/d", "-s", "S", "-v")) {
            assertThat(tail.exitCode()).isEqualTo(1);
            assertThat(tail.err()).anyMatch(line -> line.startsWith("\tat dev.spream.cli."));
        }
    }

    @Test
    void a_reader_that_goes_away_ends_it_quietly() throws Exception {
        List<String> shell = List.of("sh", "-c", "\"$@\" | head -1", "sh");
        Process process = shell(shell, "tail", "--demo", "--transactions", "50", "--duration", "1s");
        List<String> out = process.inputReader().lines().toList();
        List<String> err = process.errorReader().lines().toList();
        assertThat(process.waitFor()).isZero();
        assertThat(out).singleElement().satisfies(ChangeRecordJson::readDataChange);
        assertThat(err).allMatch(line -> line.startsWith("demo: seed "));
    }

    @Test
    void emulator_and_tail_work_together_in_two_shells() throws Exception {
        try (SpreamProcess emulator = SpreamProcess.spream("emulator", "--port", "0", "--churn", "500ms")) {
            String line = emulator.awaitErr(1).getFirst();
            assertThat(line).matches("export SPANNER_EMULATOR_HOST=127\\.0\\.0\\.1:\\d+");
            SpannerServer server = new SpannerServer("ours", line.substring(line.indexOf('=') + 1));
            DatabaseId database = database(server);
            String start = Instant.now().toString(); // a process may start for longer than the first row takes
            try (SpreamProcess tail = SpreamProcess.spreamOn(
                    server.emulatorHost(),
                    "tail",
                    "-d",
                    database.getName(),
                    "--stream",
                    "Changes",
                    "--start",
                    start,
                    "--limit",
                    "12")) {
                writeUntil(server, database, tail, 12);
                assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
                assertThat(records(tail))
                        .hasSize(12)
                        .allSatisfy(change -> assertThat(change.tableName()).isEqualTo("Items"));
            }
            emulator.terminate();
            assertThat(emulator.exitCode()).as("%s", emulator.err()).isZero();
        }
    }

    @Test
    void a_server_that_went_away_is_spoken_of_and_waited_for() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            SpannerServer server = new SpannerServer("ours", emulator.emulatorHost());
            DatabaseId database = database(server);
            try (SpreamProcess tail = SpreamProcess.spreamOn(
                    server.emulatorHost(),
                    "tail",
                    "-d",
                    database.getName(),
                    "-s",
                    "Changes",
                    "--heartbeat-interval",
                    "100ms")) {
                writeUntil(server, database, tail, 1);
                emulator.close();
                assertThat(tail.awaitErr(1).getFirst())
                        .matches("\\d{2}:\\d{2}:\\d{2}\\.\\d{3} tail: no answer after 3 attempts, trying again: .*");
                assertThat(tail.isAlive()).isTrue();
                tail.terminate();
                assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            }
        }
    }

    @Test
    void a_start_in_the_future_is_waited_for_with_a_word() throws Exception {
        SpannerServer server = SpannerServers.ours();
        DatabaseId database = database(server);
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(), "tail", "-d", database.getName(), "-s", "Changes", "--start", "+1h")) {
            assertThat(tail.awaitErr(1).getFirst()).contains(" tail: the start is in the future: waiting until ");
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
        }
    }

    @Test
    void an_emulator_over_a_server_that_does_not_answer_is_refused() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            String host = "127.0.0.1:" + silent.getLocalPort();
            silent.close();
            CommandRun emulator = CommandRun.of("emulator", "--port", "0", "--over", host);
            assertThat(emulator.exitCode()).isEqualTo(1);
            assertThat(emulator.err())
                    .anySatisfy(line -> assertThat(line)
                            .contains("no server answers at " + host)
                            .contains("correct --over"));
        }
        assertThat(CommandRun.of("emulator", "--over", "nothing").err())
                .anySatisfy(line -> assertThat(line).contains("expected host:port"));
    }

    @Test
    void a_port_in_use_gets_one_line_and_exit_code_1() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CommandRun emulator = CommandRun.of("emulator", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(emulator.exitCode()).isEqualTo(1);
            assertThat(emulator.err())
                    .singleElement()
                    .asString()
                    .startsWith("spream emulator: cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }

    /** The command line inside a shell's command. */
    private static Process shell(List<String> shell, String... arguments) throws IOException {
        List<String> command = Stream.of(shell, SpreamProcess.command(), List.of(arguments))
                .flatMap(List::stream)
                .toList();
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("SPANNER_EMULATOR_HOST");
        return builder.start();
    }

    private static List<DataChangeRecord> records(SpreamProcess process) {
        return process.out().stream().map(ChangeRecordJson::readDataChange).toList();
    }

    private static String failure(String emulatorHost, String database, String stream, String... more) {
        CommandRun tail = CommandRun.of(Stream.concat(
                        Stream.of("tail", "--emulator-host", emulatorHost, "-d", database, "-s", stream),
                        Stream.of(more))
                .toArray(String[]::new));
        assertThat(tail.exitCode()).as("%s", tail.err()).isEqualTo(1);
        assertThat(tail.out()).isEmpty();
        assertThat(tail.err()).hasSize(1);
        return tail.err().getFirst();
    }

    private static DatabaseId database(SpannerServer server) {
        return server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                        "CREATE TABLE Others (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM Changes FOR ALL"));
    }

    /** Writes rows until the process has printed so many: when it started to read cannot be known from outside. */
    private static void writeUntil(SpannerServer server, DatabaseId database, SpreamProcess tail, int printed) {
        writeUntil(server, database, tail, printed, id -> List.of(insert("Items", id)));
    }

    private static Mutation insert(String table, long id) {
        return Mutation.newInsertBuilder(table).set("Id").to(id).build();
    }

    private static void writeUntil(
            SpannerServer server,
            DatabaseId database,
            SpreamProcess tail,
            int printed,
            LongFunction<List<Mutation>> transaction) {
        try (Spanner spanner = server.client()) {
            var client = spanner.getDatabaseClient(database);
            for (long id = 0; tail.out().size() < printed && tail.isAlive(); id++) {
                client.write(transaction.apply(id));
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }
}
