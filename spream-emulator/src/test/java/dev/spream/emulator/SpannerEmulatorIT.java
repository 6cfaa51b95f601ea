package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.ACCOUNTS;
import static dev.spream.emulator.EmulatedSpanner.account;
import static dev.spream.emulator.EmulatedSpanner.query;
import static dev.spream.emulator.EmulatedSpanner.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.DatabaseNotFoundException;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.SpannerBatchUpdateException;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The database side through the real client, in GoogleSQL. */
class SpannerEmulatorIT {
    private static final String EVERYTHING = """
            CREATE TABLE Everything (
              Id INT64 NOT NULL, B BOOL, I INT64, F FLOAT64, F4 FLOAT32, N NUMERIC, S STRING(MAX), Y BYTES(MAX),
              D DATE, T TIMESTAMP, J JSON,
              Bs ARRAY<BOOL>, Ints ARRAY<INT64>, Fs ARRAY<FLOAT64>, Ns ARRAY<NUMERIC>, Ss ARRAY<STRING(MAX)>,
              Ys ARRAY<BYTES(MAX)>, Ds ARRAY<DATE>, Ts ARRAY<TIMESTAMP>, Js ARRAY<JSON>
            ) PRIMARY KEY (Id)
            """;
    private static final Timestamp LAST = Timestamp.parseTimestamp("9999-12-31T23:59:59.999999999Z");

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.found();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    private static DatabaseClient database(String... ddl) throws Exception {
        return spanner.connect(spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ddl));
    }

    @Test
    void a_client_can_ask_for_one_and_for_the_time() throws Exception {
        DatabaseClient database = database();
        assertThat(query(database, "SELECT 1").getFirst().getLong(0)).isEqualTo(1);
        assertThat(query(database, "SELECT CURRENT_TIMESTAMP()")
                        .getFirst()
                        .getTimestamp(0)
                        .getSeconds())
                .isBetween(System.currentTimeMillis() / 1000 - 60, System.currentTimeMillis() / 1000 + 60);
        assertThat(database.getDialect()).isEqualTo(Dialect.GOOGLE_STANDARD_SQL);
    }

    @Test
    void inserted_rows_are_read_back_by_key_and_by_query() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        Timestamp committed = database.write(List.of(account(2, "b", 20), account(1, "a", 10), account(3, "c", 30)));

        Struct row = database.singleUse().readRow("Accounts", Key.of(2), List.of("Owner", "Balance", "Changed"));
        assertThat(row.getString(0)).isEqualTo("b");
        assertThat(row.getLong(1)).isEqualTo(20);
        assertThat(row.getTimestamp(2)).isEqualTo(committed);
        assertThat(query(database, "SELECT Id FROM Accounts ORDER BY Id DESC"))
                .extracting(found -> found.getLong("Id"))
                .containsExactly(3L, 2L, 1L);
        assertThat(rows(database.singleUse().read("Accounts", KeySet.all(), List.of("Id"), Options.limit(2))))
                .extracting(found -> found.getLong(0))
                .containsExactly(1L, 2L);
    }

    @Test
    void key_ranges_are_prefixes_of_the_key() throws Exception {
        DatabaseClient database =
                database("CREATE TABLE T (A INT64 NOT NULL, B STRING(10) NOT NULL, C INT64) PRIMARY KEY (A, B DESC)");
        List<Mutation> mutations = new ArrayList<>();
        for (long a = 1; a <= 3; a++) {
            for (String b : List.of("x", "y", "z")) {
                mutations.add(Mutation.newInsertBuilder("T")
                        .set("A")
                        .to(a)
                        .set("B")
                        .to(b)
                        .build());
            }
        }
        database.write(mutations);
        assertThat(keys(database, KeySet.range(KeyRange.closedOpen(Key.of(1), Key.of(2)))))
                .containsExactly("1z", "1y", "1x");
        assertThat(keys(database, KeySet.range(KeyRange.openClosed(Key.of(1), Key.of(2)))))
                .containsExactly("2z", "2y", "2x");
        assertThat(keys(database, KeySet.range(KeyRange.closedClosed(Key.of(2, "y"), Key.of(3, "z")))))
                .containsExactly("2y", "2x", "3z");
        assertThat(keys(
                        database,
                        KeySet.newBuilder()
                                .addKey(Key.of(3, "x"))
                                .addKey(Key.of(1, "y"))
                                .build()))
                .containsExactly("1y", "3x");
        database.write(List.of(Mutation.delete("T", KeySet.prefixRange(Key.of(2)))));
        assertThat(keys(database, KeySet.all())).containsExactly("1z", "1y", "1x", "3z", "3y", "3x");
    }

    private static List<String> keys(DatabaseClient database, KeySet keys) {
        return rows(database.singleUse().read("T", keys, List.of("A", "B"))).stream()
                .map(row -> row.getLong(0) + row.getString(1))
                .toList();
    }

    @Test
    void an_index_is_read_in_its_order() throws Exception {
        DatabaseClient database = database(ACCOUNTS, "CREATE INDEX ByOwner ON Accounts (Owner DESC) STORING (Balance)");
        database.write(List.of(account(1, "a", 10), account(2, "b", 20), account(3, "a", 30)));
        assertThat(rows(database.singleUse()
                        .readUsingIndex("Accounts", "ByOwner", KeySet.all(), List.of("Id", "Balance"))))
                .extracting(row -> row.getLong(0))
                .containsExactly(2L, 1L, 3L);
        assertThat(rows(database.singleUse()
                        .readUsingIndex("Accounts", "ByOwner", KeySet.singleKey(Key.of("a")), List.of("Id"))))
                .extracting(row -> row.getLong(0))
                .containsExactly(1L, 3L);
    }

    @Test
    void a_read_with_an_index_has_only_the_columns_of_the_index() throws Exception {
        DatabaseClient database = database(ACCOUNTS, "CREATE INDEX ByOwner ON Accounts (Owner)");
        assertThatThrownBy(() -> rows(database.singleUse()
                        .readUsingIndex("Accounts", "ByOwner", KeySet.all(), List.of("Id", "Balance"))))
                .hasMessageContaining("NOT_FOUND")
                .hasMessageContaining("Index 'ByOwner' which indexes 'Accounts' does not have a column named Balance");
        assertThatThrownBy(() ->
                        rows(database.singleUse().readUsingIndex("Accounts", "Other", KeySet.all(), List.of("Id"))))
                .hasMessageContaining("No index 'Other' was found for table 'Accounts'");
    }

    @Test
    void mutations_fail_with_the_codes_of_spanner() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10)));

        assertCode(ErrorCode.ALREADY_EXISTS, () -> database.write(List.of(account(1, "again", 1))));
        assertCode(
                ErrorCode.NOT_FOUND,
                () -> database.write(List.of(Mutation.newUpdateBuilder("Accounts")
                        .set("Id")
                        .to(7)
                        .set("Balance")
                        .to(1)
                        .build())));
        assertCode(
                ErrorCode.NOT_FOUND,
                () -> database.write(List.of(
                        Mutation.newInsertBuilder("Nowhere").set("Id").to(7).build())));
        assertCode(
                ErrorCode.FAILED_PRECONDITION,
                () -> database.write(List.of(Mutation.newInsertBuilder("Accounts")
                        .set("Id")
                        .to((Long) null)
                        .build())));
        assertThat(query(database, "SELECT Owner FROM Accounts"))
                .extracting(row -> row.getString(0))
                .containsExactly("a");
    }

    private static void assertCode(ErrorCode code, Callable<?> action) {
        assertThatThrownBy(action::call)
                .isInstanceOfSatisfying(
                        SpannerException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(code));
    }

    @Test
    void insert_or_update_and_replace_differ_in_what_they_keep() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10), account(2, "b", 20)));
        database.write(List.of(
                Mutation.newInsertOrUpdateBuilder("Accounts")
                        .set("Id")
                        .to(1)
                        .set("Balance")
                        .to(11)
                        .build(),
                Mutation.newReplaceBuilder("Accounts")
                        .set("Id")
                        .to(2)
                        .set("Balance")
                        .to(22)
                        .build(),
                Mutation.newInsertOrUpdateBuilder("Accounts")
                        .set("Id")
                        .to(3)
                        .set("Balance")
                        .to(33)
                        .build()));
        List<Struct> rows = query(database, "SELECT Owner, Balance FROM Accounts ORDER BY Id");
        assertThat(rows).extracting(row -> row.getLong(1)).containsExactly(11L, 22L, 33L);
        assertThat(rows.get(0).getString(0)).isEqualTo("a");
        assertThat(rows.get(1).isNull(0)).isTrue();
    }

    @Test
    void values_of_all_types_round_trip() throws Exception {
        DatabaseClient database = database(EVERYTHING);
        database.write(List.of(
                full(1), Mutation.newInsertBuilder("Everything").set("Id").to(2).build(), extreme(3)));
        Struct row = database.singleUse().readRow("Everything", Key.of(1), COLUMNS);
        assertThat(row)
                .isEqualTo(
                        query(database, "SELECT * FROM Everything WHERE Id = 1").getFirst());
        assertThat(row.getBoolean("B")).isTrue();
        assertThat(row.getLong("I")).isEqualTo(Long.MIN_VALUE);
        assertThat(row.getDouble("F")).isEqualTo(Math.PI);
        assertThat(row.getFloat("F4")).isEqualTo(3.14f);
        assertThat(row.getBigDecimal("N")).isEqualByComparingTo("99999999999999999999999999999.999999999");
        assertThat(row.getString("S")).isEqualTo("ünïcode 😀 'quoted'");
        assertThat(row.getBytes("Y")).isEqualTo(ByteArray.copyFrom(new byte[] {0, -1, 7}));
        assertThat(row.getDate("D")).isEqualTo(Date.parseDate("0001-01-01"));
        assertThat(row.getTimestamp("T")).isEqualTo(LAST);
        assertThat(row.getJson("J")).isEqualTo("{\"a\":[1,null,\"x\"]}");
        assertThat(row.getLongList("Ints")).containsExactly(1L, null, Long.MAX_VALUE);
        assertThat(row.getStringList("Ss")).containsExactly("a", null, "");
        assertThat(row.getTimestampList("Ts")).containsExactly(LAST, null);
        assertThat(row.getDateList("Ds")).containsExactly(Date.parseDate("9999-12-31"), null);
        assertThat(row.getBytesList("Ys")).containsExactly(ByteArray.copyFrom("y"), null);
        assertThat(row.getBooleanList("Bs")).isEmpty();
        assertThat(row.getJsonList("Js")).containsExactly("{}", null);
        assertThat(row.getBigDecimalList("Ns")).containsExactly(new BigDecimal("1.5"), null);

        Struct nulls = database.singleUse().readRow("Everything", Key.of(2), COLUMNS);
        for (int i = 1; i < COLUMNS.size(); i++) {
            assertThat(nulls.isNull(i)).as(COLUMNS.get(i)).isTrue();
            assertThat(nulls.getColumnType(i)).isEqualTo(row.getColumnType(i));
        }
        Struct extreme = database.singleUse().readRow("Everything", Key.of(3), COLUMNS);
        assertThat(extreme.getDouble("F")).isNaN();
        assertThat(extreme.getDoubleList("Fs"))
                .containsExactly(Double.NEGATIVE_INFINITY, null, Double.POSITIVE_INFINITY);
        assertThat(extreme.getString("S")).hasSize(500_000);
    }

    private static final List<String> COLUMNS = List.of(
            "Id", "B", "I", "F", "F4", "N", "S", "Y", "D", "T", "J", "Bs", "Ints", "Fs", "Ns", "Ss", "Ys", "Ds", "Ts",
            "Js");

    private static Mutation full(long id) {
        return Mutation.newInsertBuilder("Everything")
                .set("Id")
                .to(id)
                .set("B")
                .to(true)
                .set("I")
                .to(Long.MIN_VALUE)
                .set("F")
                .to(Math.PI)
                .set("F4")
                .to(3.14f)
                .set("N")
                .to(new BigDecimal("99999999999999999999999999999.999999999"))
                .set("S")
                .to("ünïcode 😀 'quoted'")
                .set("Y")
                .to(ByteArray.copyFrom(new byte[] {0, -1, 7}))
                .set("D")
                .to(Date.parseDate("0001-01-01"))
                .set("T")
                .to(LAST)
                .set("J")
                .to(Value.json("{\"a\": [1, null, \"x\"]}"))
                .set("Bs")
                .toBoolArray(new boolean[0])
                .set("Ints")
                .toInt64Array(Arrays.asList(1L, null, Long.MAX_VALUE))
                .set("Ns")
                .toNumericArray(Arrays.asList(new BigDecimal("1.5"), null))
                .set("Ss")
                .toStringArray(Arrays.asList("a", null, ""))
                .set("Ys")
                .toBytesArray(Arrays.asList(ByteArray.copyFrom("y"), null))
                .set("Ds")
                .toDateArray(Arrays.asList(Date.parseDate("9999-12-31"), null))
                .set("Ts")
                .toTimestampArray(Arrays.asList(LAST, null))
                .set("Js")
                .toJsonArray(Arrays.asList("{}", null))
                .build();
    }

    private static Mutation extreme(long id) {
        return Mutation.newInsertBuilder("Everything")
                .set("Id")
                .to(id)
                .set("F")
                .to(Double.NaN)
                .set("Fs")
                .toFloat64Array(Arrays.asList(Double.NEGATIVE_INFINITY, null, Double.POSITIVE_INFINITY))
                .set("S")
                .to("x".repeat(500_000))
                .build();
    }

    @Test
    void parameters_of_all_types_come_back_as_they_were() throws Exception {
        DatabaseClient database = database();
        Statement statement = Statement.newBuilder("SELECT @b, @i, @f, @n, @s, @y, @d, @t, @is, @ss, @nothing")
                .bind("b")
                .to(true)
                .bind("i")
                .to(42)
                .bind("f")
                .to(Double.NaN)
                .bind("n")
                .to(new BigDecimal("1.5"))
                .bind("s")
                .to("it's")
                .bind("y")
                .to(ByteArray.copyFrom("y"))
                .bind("d")
                .to(Date.parseDate("2024-02-29"))
                .bind("t")
                .to(LAST)
                .bind("is")
                .toInt64Array(Arrays.asList(1L, null))
                .bind("ss")
                .toStringArray(List.of())
                .bind("nothing")
                .to((Timestamp) null)
                .build();
        Struct row = rows(database.singleUse().executeQuery(statement)).getFirst();
        assertThat(row.getBoolean(0)).isTrue();
        assertThat(row.getLong(1)).isEqualTo(42);
        assertThat(row.getDouble(2)).isNaN();
        assertThat(row.getBigDecimal(3)).isEqualByComparingTo("1.5");
        assertThat(row.getString(4)).isEqualTo("it's");
        assertThat(row.getBytes(5)).isEqualTo(ByteArray.copyFrom("y"));
        assertThat(row.getDate(6)).isEqualTo(Date.parseDate("2024-02-29"));
        assertThat(row.getTimestamp(7)).isEqualTo(LAST);
        assertThat(row.getLongList(8)).containsExactly(1L, null);
        assertThat(row.getStringList(9)).isEmpty();
        assertThat(row.isNull(10)).isTrue();
        assertThat(row.getColumnType(10)).isEqualTo(Type.timestamp());
    }

    @Test
    void queries_of_partition_tables_work() throws Exception {
        DatabaseClient database = database(
                """
                CREATE TABLE IF NOT EXISTS Meta (
                  PartitionToken STRING(MAX) NOT NULL, ParentTokens ARRAY<STRING(MAX)>, State STRING(MAX) NOT NULL,
                  Watermark TIMESTAMP NOT NULL, CreatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp=true),
                  FinishedAt TIMESTAMP OPTIONS (allow_commit_timestamp=true)
                ) PRIMARY KEY (PartitionToken), ROW DELETION POLICY (OLDER_THAN(FinishedAt, INTERVAL 1 DAY))
                """,
                "CREATE INDEX IF NOT EXISTS WatermarkIdx ON Meta (Watermark) STORING (State)",
                "CREATE INDEX IF NOT EXISTS WatermarkIdx ON Meta (Watermark) STORING (State)");
        Timestamp first = Timestamp.parseTimestamp("2024-01-01T00:00:00.000001Z");
        for (String token : List.of("a", "b", "c")) {
            database.write(List.of(Mutation.newInsertBuilder("Meta")
                    .set("PartitionToken")
                    .to(token)
                    .set("ParentTokens")
                    .toStringArray(List.of("root"))
                    .set("State")
                    .to(token.equals("c") ? "FINISHED" : "CREATED")
                    .set("Watermark")
                    .to(token.equals("b") ? first : LAST)
                    .set("CreatedAt")
                    .to(Value.COMMIT_TIMESTAMP)
                    .build()));
        }
        assertThat(rows(database.singleUse()
                                .executeQuery(Statement.newBuilder(
                                                "SELECT MIN(Watermark) as min_watermark FROM Meta WHERE State != @state"
                                                        + " AND Watermark >= @since;")
                                        .bind("state")
                                        .to("FINISHED")
                                        .bind("since")
                                        .to(Timestamp.MIN_VALUE)
                                        .build()))
                        .getFirst()
                        .getTimestamp("min_watermark"))
                .isEqualTo(first);
        assertThat(rows(database.singleUse()
                        .executeQuery(Statement.newBuilder("SELECT * FROM `Meta` WHERE PartitionToken IN"
                                        + " UNNEST(@tokens) AND State = @state ORDER BY CreatedAt ASC, Watermark ASC")
                                .bind("tokens")
                                .toStringArray(List.of("a", "b", "c"))
                                .bind("state")
                                .to("CREATED")
                                .build())))
                .extracting(row -> row.getString("PartitionToken"))
                .containsExactly("a", "b");
        assertThat(query(
                        database,
                        "SELECT t.table_name FROM information_schema.tables AS t WHERE t.table_schema = ''"
                                + " AND t.table_name = \"Meta\""))
                .hasSize(1);
        assertThat(query(database, "SELECT index_name FROM information_schema.indexes WHERE index_type = 'INDEX'"))
                .extracting(row -> row.getString(0))
                .containsExactly("WatermarkIdx");
    }

    @Test
    void dml_changes_rows_and_returns_them() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.readWriteTransaction().run(transaction -> {
            assertThat(transaction.executeUpdate(
                            Statement.of("INSERT INTO Accounts (Id, Owner, Balance, Changed) VALUES (1, 'a', 10,"
                                    + " PENDING_COMMIT_TIMESTAMP()), (2, \"b\", 20, PENDING_COMMIT_TIMESTAMP())")))
                    .isEqualTo(2);
            assertThat(rows(transaction.executeQuery(Statement.of("SELECT COUNT(*) FROM Accounts")))
                            .getFirst()
                            .getLong(0))
                    .isEqualTo(2);
            return null;
        });
        database.readWriteTransaction().run(transaction -> {
            long[] counts = transaction.batchUpdate(List.of(
                    Statement.of("UPDATE Accounts SET Balance = Balance + 1 WHERE Id = 1"),
                    Statement.of("DELETE FROM Accounts WHERE Id = 2")));
            assertThat(counts).containsExactly(1, 1);
            List<Struct> returned = rows(transaction.executeQuery(
                    Statement.of("UPDATE Accounts SET Owner = 'z' WHERE TRUE THEN RETURN Id, Owner")));
            assertThat(returned).extracting(row -> row.getString(1)).containsExactly("z");
            return null;
        });
        Struct row =
                query(database, "SELECT Owner, Balance, Changed FROM Accounts").getFirst();
        assertThat(row.getString(0)).isEqualTo("z");
        assertThat(row.getLong(1)).isEqualTo(11);
        assertThat(row.getTimestamp(2).getSeconds()).isGreaterThan(1_600_000_000L);
        assertThat(database.executePartitionedUpdate(Statement.of("UPDATE Accounts SET Balance = 0 WHERE TRUE")))
                .isEqualTo(1);
    }

    @Test
    void dml_cannot_change_a_key() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        assertCode(
                ErrorCode.INVALID_ARGUMENT,
                () -> database.readWriteTransaction()
                        .run(transaction ->
                                transaction.executeUpdate(Statement.of("UPDATE Accounts SET Id = 2 WHERE Id = 1"))));
    }

    @Test
    void a_failed_batch_reports_what_was_done_before() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        assertThatThrownBy(() -> database.readWriteTransaction()
                        .run(transaction -> transaction.batchUpdate(List.of(
                                Statement.of("INSERT INTO Accounts (Id) VALUES (1)"),
                                Statement.of("INSERT INTO Accounts (Id) VALUES (1)")))))
                .isInstanceOfSatisfying(SpannerBatchUpdateException.class, e -> {
                    assertThat(e.getErrorCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
                    assertThat(e.getUpdateCounts()).containsExactly(1);
                });
        assertThat(query(database, "SELECT Id FROM Accounts")).isEmpty();
    }

    @Test
    void a_failed_transaction_is_rolled_back_and_blocks_no_other() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        assertThatThrownBy(() -> database.readWriteTransaction().run(transaction -> {
                    transaction.executeUpdate(Statement.of("INSERT INTO Accounts (Id) VALUES (1)"));
                    throw new IllegalStateException("changed my mind");
                }))
                .hasMessageContaining("changed my mind");
        database.write(List.of(account(1, "a", 10)));
        assertThat(query(database, "SELECT Id FROM Accounts")).hasSize(1);
    }

    @Test
    void thousands_of_rows_stream() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        for (int batch = 0; batch < 5; batch++) {
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                mutations.add(account(batch * 1000L + i, "owner", i));
            }
            database.write(mutations);
        }
        assertThat(query(database, "SELECT * FROM Accounts")).hasSize(5000);
        assertThat(rows(database.singleUse().read("Accounts", KeySet.all(), List.of("Id"))))
                .extracting(row -> row.getLong(0))
                .isSorted()
                .hasSize(5000);
    }

    @Test
    void interleaved_rows_need_their_parent_and_go_with_it() throws Exception {
        DatabaseClient database = database(
                ACCOUNTS,
                "CREATE TABLE Entries (Id INT64 NOT NULL, Entry INT64 NOT NULL) PRIMARY KEY (Id, Entry),"
                        + " INTERLEAVE IN PARENT Accounts ON DELETE CASCADE");
        Mutation entry = Mutation.newInsertBuilder("Entries")
                .set("Id")
                .to(1)
                .set("Entry")
                .to(1)
                .build();
        assertCode(ErrorCode.NOT_FOUND, () -> database.write(List.of(entry)));
        database.write(List.of(account(1, "a", 10), entry));
        database.write(List.of(Mutation.delete("Accounts", Key.of(1))));
        assertThat(query(database, "SELECT * FROM Entries")).isEmpty();
    }

    @Test
    void errors_in_sql_and_names_have_the_codes_of_spanner() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> query(database, "SELECT * FROM Nowhere"));
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> query(database, "SELECT Nothing FROM Accounts"));
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> query(database, "SELEKT 1"));
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> query(database, "DROP TABLE Accounts"));
        DatabaseClient missing = spanner.connect(DatabaseId.of(spanner.instance(), "missing"));
        assertThatThrownBy(() -> query(missing, "SELECT 1")).isInstanceOf(DatabaseNotFoundException.class);
    }

    @Test
    void a_database_describes_and_drops_itself() throws Exception {
        var id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ACCOUNTS, "CREATE INDEX I ON Accounts (Owner)");
        var admin = spanner.client().getDatabaseAdminClient();
        String instance = spanner.instance().getInstance();
        assertThat(admin.getDatabaseDdl(instance, id.getDatabase()))
                .satisfiesExactly(
                        table -> assertThat(table).startsWith("CREATE TABLE Accounts (\n  Id INT64 NOT NULL,\n"),
                        index -> assertThat(index).isEqualTo("CREATE INDEX I ON Accounts(Owner)"));
        admin.updateDatabaseDdl(
                        instance,
                        id.getDatabase(),
                        List.of(
                                "ALTER TABLE Accounts ADD COLUMN Note STRING(MAX)",
                                "DROP INDEX I",
                                "ALTER TABLE Accounts DROP COLUMN Owner"),
                        null)
                .get();
        assertThat(query(
                        spanner.connect(id),
                        "SELECT column_name FROM information_schema.columns WHERE table_name ="
                                + " 'Accounts' ORDER BY ordinal_position"))
                .extracting(row -> row.getString(0))
                .containsExactly("Id", "Balance", "Changed", "Note");
        admin.dropDatabase(instance, id.getDatabase());
        assertThatThrownBy(() -> admin.getDatabase(instance, id.getDatabase())).hasMessageContaining("NOT_FOUND");
    }
}
