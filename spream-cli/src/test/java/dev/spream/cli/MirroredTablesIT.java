package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.Statement;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.TypeCode;
import com.google.spanner.v1.TypeProto;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.ModType;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables whose rows expire, functions of placements, and columns of messages and enums, on their way from Spanner into the
 * mirror. Google's emulator (1.5.28) deletes no expired row and sends null for messages and enums. It moves the changes of
 * a key between unrelated partitions, so what both have is mirrored in commit order.
 */
@Timeout(120)
final class MirroredTablesIT {
    private static final int ROWS = 20;
    private static final long PAUSE_NANOS = 20_000_000;

    @TempDir
    private Path folder;

    /** One dialect and mode, and with {@code -Dmatrix=true} all of them with each other. */
    static Stream<Arguments> dialectsAndModes() {
        Stream<Arguments> all = Stream.of(
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "MUTABLE_KEY_RANGE"),
                Arguments.of(Dialect.POSTGRESQL, "IMMUTABLE_KEY_RANGE"),
                Arguments.of(Dialect.GOOGLE_STANDARD_SQL, "IMMUTABLE_KEY_RANGE"),
                Arguments.of(Dialect.POSTGRESQL, "MUTABLE_KEY_RANGE"));
        return SpannerServers.areAll() ? all : all.limit(1);
    }

    @ParameterizedTest
    @MethodSource("dialectsAndModes")
    void rows_that_expire_leave_the_mirror_unless_their_deletions_are_excluded(Dialect dialect, String mode)
            throws Exception {
        SpannerServer server = SpannerServers.ours();
        DatabaseId database = server.createDatabase(dialect, expiring(dialect, 0, "partition_mode = '" + mode + "'"));
        Timestamp first;
        Timestamp last;
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            first = client.write(List.of(place(-1)));
            for (int id = 0; id < ROWS; id++) {
                client.write(List.of(place(id)));
            }
            last = awaitEmpty(client);
        }
        PostgresDatabase all = PostgresDatabase.create();
        PostgresDatabase kept = PostgresDatabase.create();
        Path file = folder.resolve("changes.jsonl");
        run(server, database, "everything", first, last, mirror(all));
        run(server, database, "kept", first, last, mirror(kept));
        run(server, database, "everything", first, last, Map.of("sink", "jsonl", "sink.jsonl.path", file.toString()));

        assertThat(column(all, "SELECT id FROM public.place")).isEmpty();
        assertThat(column(kept, "SELECT id FROM public.place")).hasSize(ROWS + 1);
        List<DataChangeRecord> changes = Files.readAllLines(file).stream()
                .map(ChangeRecordJson::readDataChange)
                .toList();
        assertThat(changes)
                .filteredOn(change -> change.modType() == ModType.DELETE)
                .isNotEmpty()
                .allMatch(DataChangeRecord::isSystemTransaction)
                .allMatch(change -> change.transactionTag().equals("RowDeletionPolicy"));
        assertThat(changes)
                .filteredOn(change -> change.modType() == ModType.INSERT)
                .noneMatch(DataChangeRecord::isSystemTransaction);
    }

    private static List<String> expiring(Dialect dialect, int days, String option) {
        return dialect == Dialect.POSTGRESQL
                ? List.of(
                        "CREATE TABLE place (id bigint PRIMARY KEY, until timestamptz) TTL INTERVAL '" + days
                                + " days' ON until",
                        "CREATE CHANGE STREAM everything FOR place WITH (" + option + ")",
                        "CREATE CHANGE STREAM kept FOR place WITH (exclude_ttl_deletes = true, " + option + ")")
                : List.of(
                        "CREATE TABLE place (id INT64, until TIMESTAMP) PRIMARY KEY (id),"
                                + " ROW DELETION POLICY (OLDER_THAN(until, INTERVAL " + days + " DAY))",
                        "CREATE CHANGE STREAM everything FOR place OPTIONS (" + option + ")",
                        "CREATE CHANGE STREAM kept FOR place OPTIONS (exclude_ttl_deletes = true, " + option + ")");
    }

    private static Mutation place(long id) {
        return Mutation.newInsertBuilder("place")
                .set("id")
                .to(id)
                .set("until")
                .to(Timestamp.now())
                .build();
    }

    /** Waits until the table has no rows, and returns the server's time. */
    private static Timestamp awaitEmpty(DatabaseClient client) {
        while (true) {
            try (ReadContext read = client.singleUse();
                    ResultSet row = read.executeQuery(
                            Statement.of("SELECT COUNT(*) AS n, CURRENT_TIMESTAMP AS read_at FROM place"))) {
                row.next();
                if (row.getLong("n") == 0) {
                    return row.getTimestamp("read_at");
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Our emulator, and Google's if it is found, in each dialect. */
    static Stream<Arguments> serversAndDialects() {
        return SpannerServers.found()
                .flatMap(server -> Stream.of(Dialect.GOOGLE_STANDARD_SQL, Dialect.POSTGRESQL)
                        .map(dialect -> Arguments.of(server, dialect)));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("serversAndDialects")
    void rows_that_clients_delete_leave_a_mirror_that_keeps_expired_ones(SpannerServer server, Dialect dialect)
            throws Exception {
        DatabaseId database = server.createDatabase(dialect, expiring(dialect, 30, "retention_period = '7d'"));
        List<Timestamp> commits = new ArrayList<>();
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            for (int id = 0; id < ROWS; id++) {
                commits.add(client.write(List.of(place(id))));
            }
            for (int id = 0; id < ROWS; id += 2) {
                commits.add(client.write(List.of(Mutation.delete("place", Key.of(id)))));
            }
        }
        PostgresDatabase kept = PostgresDatabase.create();
        run(server, database, "kept", commits.getFirst(), commits.getLast(), mirror(kept));

        assertThat(column(kept, "SELECT id FROM public.place ORDER BY id"))
                .containsExactlyElementsOf(IntStream.range(0, ROWS)
                        .filter(id -> id % 2 != 0)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    /** Google's emulator has no such functions. */
    @ParameterizedTest
    @MethodSource("dialectsAndModes")
    void a_mirror_reads_the_function_of_a_placement(Dialect dialect, String mode) throws Exception {
        SpannerServer server = SpannerServers.ours();
        DatabaseId database = server.createDatabase(
                dialect, expiring(dialect, 30, "per_placement_tvf = true, partition_mode = '" + mode + "'"));
        Timestamp first;
        Timestamp last;
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            first = client.write(List.of(place(1)));
            last = client.write(List.of(place(2)));
        }
        PostgresDatabase postgres = PostgresDatabase.create();
        Map<String, String> keys = new HashMap<>(mirror(postgres));
        String prefix = dialect == Dialect.GOOGLE_STANDARD_SQL
                ? "READ_"
                : mode.equals("MUTABLE_KEY_RANGE") ? "read_proto_bytes_" : "read_json_";
        keys.put("source.spanner.read-function", prefix + "everything_europe");
        assertThatThrownBy(() -> run(server, database, "everything", first, last, keys))
                .hasMessageContaining("everything_europe");
        keys.put("source.spanner.read-function", prefix + "everything_default");
        run(server, database, "everything", first, last, keys);

        assertThat(column(postgres, "SELECT id FROM public.place ORDER BY id")).containsExactly("1", "2");
    }

    @ParameterizedTest
    @MethodSource("dev.spream.servers.SpannerServers#found")
    void messages_arrive_as_bytes_and_enums_as_numbers(SpannerServer server) throws Exception {
        StructType message = StructType.newBuilder()
                .addFields(StructType.Field.newBuilder().setName("a"))
                .build();
        DatabaseId database = server.createDatabase(Dialect.GOOGLE_STANDARD_SQL, List.of());
        Timestamp first;
        Timestamp last;
        try (Spanner spanner = server.client()) {
            createItems(spanner, database);
            DatabaseClient client = spanner.getDatabaseClient(database);
            first = client.write(List.of(Mutation.newInsertBuilder("Item")
                    .set("Id")
                    .to(1)
                    .set("Message")
                    .to(message)
                    .set("Kind")
                    .to(TypeCode.DATE)
                    .set("Kinds")
                    .toProtoEnumArray(List.of(TypeCode.BOOL, TypeCode.JSON), TypeCode.getDescriptor())
                    .build()));
            last = client.write(List.of(Mutation.newUpdateBuilder("Item")
                    .set("Id")
                    .to(1)
                    .set("Kind")
                    .to(TypeCode.JSON)
                    .build()));
        }
        PostgresDatabase postgres = PostgresDatabase.create();
        run(server, database, "Changes", first, last, mirror(postgres));

        String row = "SELECT concat_ws(' ', \"Message\", \"Kind\", \"Kinds\") FROM public.\"Item\"";
        String written = "\\x0a030a0161 11 {1,11}";
        assertThat(column(postgres, row))
                .hasSize(1)
                .isSubsetOf(written, server.equals(SpannerServers.ours()) ? written : "[null, null]");
    }

    private static void createItems(Spanner spanner, DatabaseId id) throws Exception {
        var admin = spanner.getDatabaseAdminClient();
        FileDescriptorSet descriptors = FileDescriptorSet.newBuilder()
                .addFile(TypeProto.getDescriptor().toProto())
                .build();
        admin.updateDatabaseDdl(
                        admin.newDatabaseBuilder(id)
                                .setProtoDescriptors(descriptors.toByteArray())
                                .build(),
                        List.of(
                                "CREATE PROTO BUNDLE (google.spanner.v1.StructType, google.spanner.v1.TypeCode)",
                                "CREATE TABLE Item (Id INT64, Message google.spanner.v1.StructType, Kind"
                                        + " google.spanner.v1.TypeCode, Kinds ARRAY<google.spanner.v1.TypeCode>)"
                                        + " PRIMARY KEY (Id)",
                                "CREATE CHANGE STREAM Changes FOR ALL"),
                        null)
                .get();
    }

    private static Map<String, String> mirror(PostgresDatabase postgres) {
        return Map.of("sink", "jdbc", "sink.jdbc.url", postgres.jdbcUrl(), "sink.jdbc.create-tables", "true");
    }

    private static void run(
            SpannerServer server,
            DatabaseId database,
            String stream,
            Timestamp first,
            Timestamp last,
            Map<String, String> sink) {
        Map<String, String> keys = new HashMap<>(sink);
        keys.put("source", "spanner");
        keys.put("source.spanner.database", database.getName());
        keys.put("source.spanner.stream", stream);
        keys.put("source.spanner.emulator-host", server.emulatorHost());
        keys.put("storage", "memory");
        keys.put("max-inflight", "8");
        keys.put("transaction-mode", server.equals(SpannerServers.ours()) ? "off" : "commit-order");
        keys.put("start", first.toString());
        keys.put("end", last.toString());
        try (Spream spream = Spream.create(SpreamConfig.of(keys))) {
            spream.run();
        }
    }

    private static List<String> column(PostgresDatabase postgres, String sql) throws SQLException {
        try (var connection = postgres.source().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}
