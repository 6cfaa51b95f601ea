package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.TypeCode;
import dev.spream.differential.TableChanges.Commit;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Changes of tables that the workload does not have, on both emulators: of a table without key columns, of rows that
 * expire, and of columns of messages and enums. Without Google's, ours is held against the expected records alone.
 *
 * <p>Google's emulator (1.5.28) deletes no expired row, and sends null in the place of a message or an enum, in a key
 * too. It turns a REPLACE into an INSERT, and an update by a statement has all watched columns, so neither is used here.
 */
@Timeout(120)
class TablesDifferentialIT {
    private static final Timestamp EXPIRED = Timestamp.parseTimestamp("2020-01-01T00:00:00Z");
    private static final long PAUSE_NANOS = 20_000_000;

    private static SpannerServer ours;

    @BeforeAll
    static void start() {
        ours = QuietEmulators.server(QuietEmulators.alone());
        if (SpannerServers.google().isEmpty()) {
            System.out.println(
                    "Differential test: Google's emulator was not found, so changes of tables without keys, of rows that"
                            + " expire, of messages and of enums are compared with the expected ones, and with nothing else");
        }
    }

    @Test
    void both_emulators_report_the_changes_of_a_table_without_key_columns_alike() {
        List<String> ddl = List.of(
                "CREATE TABLE Settings (Mode STRING(9), Size INT64) PRIMARY KEY ()",
                "CREATE CHANGE STREAM Changes FOR ALL",
                "CREATE CHANGE STREAM WholeRows FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')",
                "CREATE CHANGE STREAM Modes FOR Settings(Mode)"
                        + " OPTIONS (value_capture_type = 'NEW_ROW_AND_OLD_VALUES', exclude_insert = true)");
        List<Commit> commits = List.of(
                write(mode(Mutation.newInsertBuilder("Settings"), "a")),
                write(mode(Mutation.newUpdateBuilder("Settings"), "b")),
                write(Mutation.delete("Settings", Key.of())),
                statement("INSERT INTO Settings (Mode, Size) VALUES ('c', 1)"),
                write(mode(Mutation.newInsertOrUpdateBuilder("Settings"), "d")),
                statement("DELETE FROM Settings WHERE TRUE"),
                write(mode(Mutation.newInsertOrUpdateBuilder("Settings"), "e")));
        TableChanges changes = TableChanges.of(ours, Dialect.GOOGLE_STANDARD_SQL, ddl, commits);

        assertThat(changes.of("Changes"))
                .hasSameSizeAs(commits)
                .extracting(record -> record.get("mod_type").getAsString() + " " + record.get("mods"))
                .startsWith(
                        "INSERT [{\"keys\":null,\"new_values\":{\"Mode\":\"a\",\"Size\":null},\"old_values\":{}}]",
                        "UPDATE [{\"keys\":null,\"new_values\":{\"Mode\":\"b\"},\"old_values\":{\"Mode\":\"a\"}}]",
                        "DELETE [{\"keys\":null,\"new_values\":{},\"old_values\":{\"Mode\":\"b\",\"Size\":null}}]");
        SpannerServers.google().ifPresent(server -> {
            TableChanges googles = TableChanges.of(server, Dialect.GOOGLE_STANDARD_SQL, ddl, commits);
            for (String stream : List.of("Changes", "WholeRows", "Modes")) {
                assertThat(differences(changes.of(stream), googles.of(stream)))
                        .as(stream)
                        .isEmpty();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void both_emulators_report_the_changes_that_clients_make_of_rows_that_expire_alike(Dialect dialect) {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        List<String> ddl = List.of(
                postgres
                        ? "CREATE TABLE place (id bigint PRIMARY KEY, until timestamptz) TTL INTERVAL '0 days' ON until"
                        : "CREATE TABLE place (id INT64, until TIMESTAMP) PRIMARY KEY (id),"
                                + " ROW DELETION POLICY (OLDER_THAN(until, INTERVAL 0 DAY))",
                "CREATE CHANGE STREAM everything FOR place",
                "CREATE CHANGE STREAM kept FOR place " + (postgres ? "WITH" : "OPTIONS")
                        + " (exclude_ttl_deletes = true)");
        Commit insert = write(place(2, null));
        Commit delete = write(Mutation.delete("place", Key.of(2)));
        Commit expired = write(place(1, EXPIRED));
        Commit last = write(place(3, null));
        TableChanges changes = TableChanges.of(
                ours, dialect, ddl, List.of(insert, delete, expired, client -> awaitDeleted(client, 1), last));

        assertThat(changes.of("everything"))
                .filteredOn(TablesDifferentialIT::isOfSystem)
                .extracting(record -> record.get("mod_type").getAsString() + " "
                        + record.get("transaction_tag").getAsString())
                .containsExactly("DELETE RowDeletionPolicy");
        assertThat(changes.of("kept")).hasSize(4).noneMatch(TablesDifferentialIT::isOfSystem);
        SpannerServers.google().ifPresent(server -> {
            TableChanges googles = TableChanges.of(server, dialect, ddl, List.of(insert, delete, expired, last));
            for (String stream : List.of("everything", "kept")) {
                assertThat(differences(ofClients(changes.of(stream)), ofClients(googles.of(stream))))
                        .as(stream)
                        .isEmpty();
            }
        });
    }

    private static Timestamp awaitDeleted(DatabaseClient client, long id) {
        Statement row = Statement.of("SELECT id FROM place WHERE id = " + id);
        while (true) {
            try (ResultSet found = client.singleUse().executeQuery(row)) {
                if (!found.next()) {
                    return Timestamp.now();
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static boolean isOfSystem(JsonObject record) {
        return record.get("is_system_transaction").getAsBoolean();
    }

    private static List<JsonObject> ofClients(List<JsonObject> records) {
        return records.stream().filter(record -> !isOfSystem(record)).toList();
    }

    @Test
    void both_emulators_report_messages_and_enums_alike_or_googles_nulls() {
        List<String> ddl = List.of(
                "CREATE PROTO BUNDLE (google.spanner.v1.StructType, google.spanner.v1.TypeCode)",
                "CREATE TABLE Items (Id INT64, Note STRING(9), Message google.spanner.v1.StructType, Kind"
                        + " google.spanner.v1.TypeCode, Messages ARRAY<google.spanner.v1.StructType>, Kinds"
                        + " ARRAY<google.spanner.v1.TypeCode>) PRIMARY KEY (Id)",
                "CREATE TABLE Kinds (Kind google.spanner.v1.TypeCode) PRIMARY KEY (Kind)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        StructType message = StructType.newBuilder()
                .addFields(StructType.Field.newBuilder().setName("a"))
                .build();
        List<Commit> commits = List.of(
                write(Mutation.newInsertBuilder("Items")
                        .set("Id")
                        .to(1)
                        .set("Message")
                        .to(message)
                        .set("Kind")
                        .to(TypeCode.DATE)
                        .set("Messages")
                        .toProtoMessageArray(List.of(message), StructType.getDescriptor())
                        .set("Kinds")
                        .toProtoEnumArray(List.of(TypeCode.BOOL, TypeCode.JSON), TypeCode.getDescriptor())
                        .build()),
                write(Mutation.newUpdateBuilder("Items")
                        .set("Id")
                        .to(1)
                        .set("Note")
                        .to("n")
                        .set("Kind")
                        .to(TypeCode.JSON)
                        .build()),
                write(Mutation.delete("Items", Key.of(1))),
                write(Mutation.newInsertBuilder("Kinds")
                        .set("Kind")
                        .to(TypeCode.JSON)
                        .build()));
        TableChanges changes = TableChanges.of(ours, Dialect.GOOGLE_STANDARD_SQL, ddl, commits);

        assertThat(changes.of("Changes"))
                .extracting(record ->
                        mod(record).getAsJsonObject("keys") + " " + mod(record).get("new_values"))
                .containsExactly(
                        "{\"Id\":\"1\"} {\"Note\":null,\"Message\":\"CgMKAWE=\",\"Kind\":\"5\",\"Messages\":[\"CgMKAWE=\"],"
                                + "\"Kinds\":[\"1\",\"11\"]}",
                        "{\"Id\":\"1\"} {\"Note\":\"n\",\"Kind\":\"11\"}",
                        "{\"Id\":\"1\"} {}",
                        "{\"Kind\":\"11\"} {}");
        SpannerServers.google().ifPresent(server -> {
            List<JsonObject> googles = TableChanges.of(server, Dialect.GOOGLE_STANDARD_SQL, ddl, commits)
                    .of("Changes");
            List<String> differences = differences(changes.of("Changes"), googles);
            if (!differences.isEmpty()) {
                System.out.println("Differential test: Google's emulator has null in the place of messages and enums");
                List<JsonObject> withNulls = changes.of("Changes").stream()
                        .map(TablesDifferentialIT::withNulls)
                        .toList();
                assertThat(differences(withNulls, googles)).isEmpty();
            }
        });
    }

    /** Returns a record as Google's emulator (1.5.28) has it: nulls for messages and enums, their name for their code. */
    private static JsonObject withNulls(JsonObject record) {
        JsonObject copy = record.deepCopy();
        for (JsonElement column : copy.getAsJsonArray("column_types")) {
            JsonObject type = column.getAsJsonObject().getAsJsonObject("type");
            boolean array = type.has("array_element_type");
            JsonObject element = array ? type.getAsJsonObject("array_element_type") : type;
            if (!element.has("proto_type_fqn")) {
                continue;
            }
            String name = element.remove("proto_type_fqn").getAsString();
            element.addProperty("code", "`" + name + "`");
            String columnName = column.getAsJsonObject().get("name").getAsString();
            for (String image : List.of("keys", "new_values", "old_values")) {
                JsonObject values = mod(copy).getAsJsonObject(image);
                if (values.has(columnName)) {
                    values.add(columnName, nulls(values.get(columnName)));
                }
            }
        }
        return copy;
    }

    private static JsonElement nulls(JsonElement value) {
        if (!value.isJsonArray()) {
            return JsonNull.INSTANCE;
        }
        JsonArray nulls = new JsonArray();
        value.getAsJsonArray().forEach(element -> nulls.add(JsonNull.INSTANCE));
        return nulls;
    }

    private static JsonObject mod(JsonObject record) {
        return record.getAsJsonArray("mods").get(0).getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GOOGLE_STANDARD_SQL | CREATE TABLE Times (Id INT64, Time INTERVAL) PRIMARY KEY (Id)
            GOOGLE_STANDARD_SQL | CREATE TABLE Times (Id INT64, Times ARRAY<INTERVAL>) PRIMARY KEY (Id)
            GOOGLE_STANDARD_SQL | CREATE TABLE Settings (Mode STRING(9))
            POSTGRESQL          | CREATE TABLE times (id bigint PRIMARY KEY, time interval)
            POSTGRESQL          | CREATE TABLE settings (mode varchar)
            """)
    void both_emulators_refuse_what_spanner_does_not_store(Dialect dialect, String ddl) {
        SpannerException refusal = refusal(ours, dialect, ddl);
        assertThat(refusal).isNotNull();
        SpannerServers.google()
                .ifPresent(server -> assertThat(refusal.getErrorCode())
                        .isEqualTo(refusal(server, dialect, ddl).getErrorCode()));
    }

    private static SpannerException refusal(SpannerServer server, Dialect dialect, String ddl) {
        return catchThrowableOfType(SpannerException.class, () -> server.createDatabase(dialect, List.of(ddl)));
    }

    private static List<String> differences(List<JsonObject> records, List<JsonObject> googles) {
        return Differences.between("record ", "our emulator", array(records), "Google's", array(googles));
    }

    private static JsonArray array(List<JsonObject> records) {
        JsonArray array = new JsonArray();
        records.forEach(array::add);
        return array;
    }

    private static Commit write(Mutation mutation) {
        return client -> client.write(List.of(mutation));
    }

    private static Commit statement(String sql) {
        return client -> {
            var transaction = client.readWriteTransaction();
            transaction.run(context -> context.executeUpdate(Statement.of(sql)));
            return transaction.getCommitTimestamp();
        };
    }

    private static Mutation mode(Mutation.WriteBuilder write, String mode) {
        return write.set("Mode").to(mode).build();
    }

    private static Mutation place(long id, @Nullable Timestamp until) {
        return Mutation.newInsertBuilder("place")
                .set("id")
                .to(id)
                .set("until")
                .to(until)
                .build();
    }
}
