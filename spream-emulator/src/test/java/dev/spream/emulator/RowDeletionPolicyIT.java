package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables whose rows expire, and the streams of their deletions, through the real client. */
@Timeout(60)
class RowDeletionPolicyIT {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final DrivenClock clock = DrivenClock.startingAt(START);
    private final EmulatedSpanner spanner =
            EmulatedSpanner.of(SpannerEmulator.builder().clock(clock).start());

    @AfterEach
    void stop() {
        spanner.close();
    }

    @ParameterizedTest
    @CsvSource({
        "GOOGLE_STANDARD_SQL, IMMUTABLE_KEY_RANGE",
        "GOOGLE_STANDARD_SQL, MUTABLE_KEY_RANGE",
        "POSTGRESQL, IMMUTABLE_KEY_RANGE",
        "POSTGRESQL, MUTABLE_KEY_RANGE"
    })
    void expired_rows_are_deleted_with_their_children_by_transactions_of_spanner(Dialect dialect, String mode)
            throws Exception {
        String modeOption = "partition_mode = '" + mode + "'";
        DatabaseId id = create(dialect, 2, modeOption, modeOption + ", exclude_ttl_deletes = true");
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(
                order(1, clock.instant()),
                order(2, clock.instant().plus(Duration.ofHours(1))),
                order(3, null),
                item(1, 7),
                item(3, 8)));
        assertThat(ids(database)).containsExactly(1L, 2L, 3L);

        clock.advance(Duration.ofDays(2).plusMillis(1));
        assertThat(changes(id, dialect, mode, "stream0", 2))
                .containsExactlyInAnyOrder(
                        "DELETE orders 1 RowDeletionPolicy system", "DELETE items 1 RowDeletionPolicy system");
        assertThat(ids(database)).containsExactly(2L, 3L);

        database.write(List.of(Mutation.delete("orders", Key.of(3))));
        assertThat(changes(id, dialect, mode, "stream1", 2))
                .as("exclude_ttl_deletes")
                .containsExactlyInAnyOrder("DELETE orders 3  client", "DELETE items 3  client");
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void a_policy_is_added_replaced_and_dropped(Dialect dialect) throws Exception {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        String policy =
                postgres ? "TTL INTERVAL '%d days' ON due" : "ROW DELETION POLICY (OLDER_THAN(due, INTERVAL %d DAY))";
        DatabaseId id = create(dialect, 1, "exclude_insert = true");
        assertThat(ddl(id)).contains(policy.formatted(1));
        assertThatThrownBy(() -> alter(id, "ALTER TABLE orders ADD " + policy.formatted(3)))
                .hasMessageContaining("already one on column named due in table orders");
        alter(id, "ALTER TABLE orders " + (postgres ? "ALTER " : "REPLACE ") + policy.formatted(3));
        assertThat(ddl(id)).contains(policy.formatted(3));
        assertThatThrownBy(() -> alter(id, "ALTER TABLE orders DROP COLUMN due"))
                .hasMessageContaining("ROW DELETION POLICY will break if drop/alter column named due in table orders");

        DatabaseClient database = spanner.connect(id);
        database.write(List.of(order(1, clock.instant())));
        clock.advance(Duration.ofDays(2));
        database.write(List.of(order(2, clock.instant())));
        assertThat(ids(database)).containsExactly(1L, 2L);
        clock.advance(Duration.ofDays(2));
        assertThat(changes(id, dialect, "IMMUTABLE_KEY_RANGE", "stream0", 1))
                .containsExactly("DELETE orders 1 RowDeletionPolicy system");

        alter(id, "ALTER TABLE orders DROP " + (postgres ? "TTL" : "ROW DELETION POLICY"));
        assertThat(ddl(id)).doesNotContain("TTL").doesNotContain("POLICY");
        assertThatThrownBy(() -> alter(id, "ALTER TABLE orders DROP " + (postgres ? "TTL" : "ROW DELETION POLICY")))
                .hasMessageContaining("ROW DELETION POLICY does not exist on table orders");
        clock.advance(Duration.ofDays(2));
        assertThat(ids(database)).containsExactly(2L);
    }

    @Test
    void a_policy_needs_a_timestamp_and_children_that_are_deleted_too() {
        String orders = "CREATE TABLE orders (id INT64, due TIMESTAMP) PRIMARY KEY (id)";
        String policy = "ROW DELETION POLICY (OLDER_THAN(%s, INTERVAL 1 DAY))";
        String items = "CREATE TABLE items (id INT64, item INT64) PRIMARY KEY (id, item), INTERLEAVE IN PARENT orders";
        assertThatThrownBy(() -> spanner.createDatabase(
                        Dialect.GOOGLE_STANDARD_SQL, orders + ", " + policy.formatted("created")))
                .hasMessageContaining("there is no column named created in table orders");
        assertThatThrownBy(() ->
                        spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, orders + ", " + policy.formatted("id")))
                .hasMessageContaining("column id in table orders is not of type TIMESTAMP");
        assertThatThrownBy(() -> spanner.createDatabase(
                        Dialect.GOOGLE_STANDARD_SQL, orders + ", " + policy.formatted("due"), items))
                .hasMessageContaining("there is a row deletion policy on ancestor table orders");
        assertThatThrownBy(() -> spanner.createDatabase(
                        Dialect.GOOGLE_STANDARD_SQL,
                        orders,
                        items,
                        "ALTER TABLE orders ADD " + policy.formatted("due")))
                .hasMessageContaining("there is a descendant Table items with ON DELETE NO ACTION");
    }

    /** Orders that expire after a number of days, with items, and streams of these options. */
    private DatabaseId create(Dialect dialect, int days, String... streamOptions) throws Exception {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        List<String> ddl = new ArrayList<>(
                postgres
                        ? List.of(
                                "CREATE TABLE orders (id bigint PRIMARY KEY, due timestamptz) TTL INTERVAL '" + days
                                        + " days' ON due",
                                "CREATE TABLE items (id bigint, item bigint, PRIMARY KEY (id, item))"
                                        + " INTERLEAVE IN PARENT orders ON DELETE CASCADE")
                        : List.of(
                                "CREATE TABLE orders (id INT64, due TIMESTAMP) PRIMARY KEY (id),"
                                        + " ROW DELETION POLICY (OLDER_THAN(due, INTERVAL " + days + " DAY))",
                                "CREATE TABLE items (id INT64, item INT64) PRIMARY KEY (id, item),"
                                        + " INTERLEAVE IN PARENT orders ON DELETE CASCADE"));
        for (int i = 0; i < streamOptions.length; i++) {
            ddl.add("CREATE CHANGE STREAM stream" + i + " FOR ALL " + (postgres ? "WITH" : "OPTIONS") + " ("
                    + streamOptions[i] + ")");
        }
        DatabaseId id = spanner.createDatabase(dialect, ddl.toArray(String[]::new));
        for (int i = 0; i < streamOptions.length; i++) {
            var partitions = spanner.partitions(id, "stream" + i);
            partitions.merge(
                    partitions.live().get(0).token(), partitions.live().get(1).token());
        }
        return id;
    }

    private static Mutation order(long id, @Nullable Instant due) {
        return Mutation.newInsertBuilder("orders")
                .set("id")
                .to(id)
                .set("due")
                .to(due == null ? null : timestamp(due))
                .build();
    }

    private static Mutation item(long id, long item) {
        return Mutation.newInsertBuilder("items")
                .set("id")
                .to(id)
                .set("item")
                .to(item)
                .build();
    }

    private static List<Long> ids(DatabaseClient database) {
        return EmulatedSpanner.query(database, "SELECT id FROM orders ORDER BY id").stream()
                .map(row -> row.getLong(0))
                .toList();
    }

    private void alter(DatabaseId id, String statement) throws Exception {
        spanner.client()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(id.getInstanceId().getInstance(), id.getDatabase(), List.of(statement), null)
                .get();
    }

    private String ddl(DatabaseId id) {
        return String.join(
                "\n",
                spanner.client()
                        .getDatabaseAdminClient()
                        .getDatabaseDdl(id.getInstanceId().getInstance(), id.getDatabase()));
    }

    /** The next changes of the only partition, which began no longer ago than the last move of the clock. */
    private List<String> changes(DatabaseId id, Dialect dialect, String mode, String stream, int count)
            throws Exception {
        boolean mutable = mode.equals("MUTABLE_KEY_RANGE");
        boolean postgres = dialect == Dialect.POSTGRESQL;
        String function = (postgres ? (mutable ? "read_proto_bytes_" : "read_json_") : "READ_") + stream;
        String sql = postgres
                ? "SELECT * FROM spanner." + function + "($1, $2, $3, $4, null)"
                : "SELECT ChangeRecord FROM " + function + "(@p1, @p2, @p3, @p4)";
        Statement query = Statement.newBuilder(sql)
                .bind("p1")
                .to(timestamp(clock.instant()))
                .bind("p2")
                .to(timestamp(clock.instant().plus(Duration.ofMinutes(10))))
                .bind("p3")
                .to(spanner.partitions(id, stream).live().getFirst().token())
                .bind("p4")
                .to(300_000)
                .build();
        List<String> changes = new ArrayList<>();
        try (ResultSet results = spanner.connect(id).singleUse().executeQuery(query)) {
            while (changes.size() < count && results.next()) {
                Struct row = results.getCurrentRowAsStruct();
                if (mutable) {
                    ChangeStreamRecord record = postgres
                            ? ChangeStreamRecord.parseFrom(row.getBytes(0).toByteArray())
                            : row.getProtoMessage(0, ChangeStreamRecord.getDefaultInstance());
                    changes.add(change(record.getDataChangeRecord()));
                } else if (postgres) {
                    changes.add(change(JsonParser.parseString(row.getPgJsonb(0))
                            .getAsJsonObject()
                            .getAsJsonObject("data_change_record")));
                } else {
                    changes.add(change(row.getStructList(0)
                            .getFirst()
                            .getStructList("data_change_record")
                            .getFirst()));
                }
            }
        }
        return changes;
    }

    private static String change(DataChangeRecord data) {
        return change(
                data.getModType().name(),
                data.getTable(),
                data.getMods(0).getKeys(0).getValue().getStringValue(),
                data.getTransactionTag(),
                data.getIsSystemTransaction());
    }

    private static String change(JsonObject data) {
        return change(
                data.get("mod_type").getAsString(),
                data.get("table_name").getAsString(),
                data.getAsJsonArray("mods")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonObject("keys")
                        .get("id")
                        .getAsString(),
                data.get("transaction_tag").getAsString(),
                data.get("is_system_transaction").getAsBoolean());
    }

    private static String change(Struct data) {
        return change(
                data.getString("mod_type"),
                data.getString("table_name"),
                JsonParser.parseString(data.getStructList("mods").getFirst().getJson("keys"))
                        .getAsJsonObject()
                        .get("id")
                        .getAsString(),
                data.getString("transaction_tag"),
                data.getBoolean("is_system_transaction"));
    }

    private static String change(String kind, String table, String key, String tag, boolean system) {
        return "%s %s %s %s %s".formatted(kind, table, key, tag, system ? "system" : "client");
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }
}
