package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Columns whose values a write does not give: default values, generated columns, identity columns and sequences. */
class ComputedColumnsIT {
    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.ours();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @Test
    void a_change_has_the_default_values_of_its_row() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE T (Id INT64, V INT64 DEFAULT (42), W STRING(9) NOT NULL DEFAULT ('w'), X INT64) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");

        Timestamp first = database.write(List.of(insert("T").set("Id").to(1).build()));
        database.write(List.of(insert("T")
                .set("Id")
                .to(2)
                .set("V")
                .to((Long) null)
                .set("X")
                .to(7)
                .build()));
        Timestamp last = execute(database, "UPDATE T SET V = DEFAULT WHERE Id = 2");

        assertThat(StreamedMods.of(database, "Changes", first, last))
                .containsExactlyInAnyOrder(
                        "T INSERT {\"Id\":\"1\"} {\"V\":\"42\",\"W\":\"w\",\"X\":null} {}",
                        "T INSERT {\"Id\":\"2\"} {\"V\":null,\"W\":\"w\",\"X\":\"7\"} {}",
                        "T UPDATE {\"Id\":\"2\"} {\"V\":\"42\"} {\"V\":null}");
    }

    @Test
    void an_update_of_an_existing_row_keeps_values_that_have_a_default() throws Exception {
        DatabaseClient database = google("CREATE TABLE T (Id INT64, V INT64 DEFAULT (42), X INT64) PRIMARY KEY (Id)");
        database.write(List.of(insert("T").set("Id").to(1).set("V").to(5).build()));

        database.write(List.of(Mutation.newInsertOrUpdateBuilder("T")
                .set("Id")
                .to(1)
                .set("X")
                .to(2)
                .build()));
        execute(database, "INSERT OR UPDATE INTO T (Id, X) VALUES (1, 3), (2, 4)");

        assertThat(texts(database, "SELECT Id, V, X FROM T ORDER BY Id")).containsExactly("1,5,3", "2,42,4");
    }

    @Test
    void an_existing_row_is_not_updated_without_its_columns_that_have_no_default() throws Exception {
        DatabaseClient database =
                google("CREATE TABLE T (Id INT64 NOT NULL, A INT64 NOT NULL, B INT64 NOT NULL DEFAULT (5), C INT64)"
                        + " PRIMARY KEY (Id)");
        execute(database, "INSERT INTO T (Id, A) VALUES (1, 1)");
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "NOT NULL column: A",
                () -> database.write(List.of(Mutation.newInsertOrUpdateBuilder("T")
                        .set("Id")
                        .to(1)
                        .set("C")
                        .to(2)
                        .build())));
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "null value for column: T.A",
                () -> execute(database, "INSERT OR UPDATE INTO T (Id, C) VALUES (1, 2)"));
        execute(database, "INSERT OR IGNORE INTO T (Id, C) VALUES (1, 2)");
        execute(database, "INSERT OR UPDATE INTO T (Id, C) SELECT Id, 2 FROM T WHERE Id = 7");
        assertThat(texts(database, "SELECT * FROM T")).containsExactly("1,1,5,null");
        execute(database, "INSERT OR UPDATE INTO T (Id, A, C) VALUES (1, 2, 3)");
        assertThat(texts(database, "SELECT * FROM T")).containsExactly("1,2,5,3");
    }

    @Test
    void the_time_of_a_default_value_is_the_same_for_all_rows_of_a_statement() throws Exception {
        DatabaseClient database =
                google("CREATE TABLE T (Id INT64, At TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()), U STRING(36) DEFAULT"
                        + " (GENERATE_UUID())) PRIMARY KEY (Id)");
        execute(database, "INSERT INTO T (Id) VALUES (1), (2)");

        assertThat(texts(database, "SELECT COUNT(DISTINCT At), COUNT(DISTINCT U), COUNT(At) FROM T"))
                .containsExactly("1,2,2");
    }

    @Test
    void a_missing_key_column_gets_its_default_value_except_in_an_update() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE T (Id STRING(36) DEFAULT (GENERATE_UUID()), N INT64 DEFAULT (7), X INT64) PRIMARY KEY (Id, N)");
        database.write(List.of(
                insert("T").set("X").to(1).build(),
                Mutation.newInsertOrUpdateBuilder("T").set("X").to(2).build(),
                Mutation.newReplaceBuilder("T").set("Id").to("k").set("X").to(3).build()));

        assertThat(texts(database, "SELECT LENGTH(Id), N, X FROM T ORDER BY X"))
                .containsExactly("36,7,1", "36,7,2", "1,7,3");
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "Implicit use of primary key default value for column `T.Id` is not allowed in UPDATE mutations.",
                () -> database.write(
                        List.of(Mutation.newUpdateBuilder("T").set("X").to(4).build())));
    }

    @Test
    void a_generated_column_follows_its_columns_and_is_in_no_change() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE T (Id INT64, V INT64, Z INT64 AS (W + 1) STORED, W INT64 AS (V * 2)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        Timestamp first = database.write(
                List.of(insert("T").set("Id").to(1).set("V").to(4).build()));
        Timestamp last = execute(database, "UPDATE T SET V = 5 WHERE Id = 1");

        assertThat(texts(database, "SELECT V, W, Z FROM T")).containsExactly("5,10,11");
        assertThat(StreamedMods.of(database, "Changes", first, last))
                .containsExactlyInAnyOrder(
                        "T INSERT {\"Id\":\"1\"} {\"V\":\"4\"} {}",
                        "T UPDATE {\"Id\":\"1\"} {\"V\":\"5\"} {\"V\":\"4\"}");
    }

    @Test
    void a_generated_column_is_not_written_or_watched_by_name() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE T (Id INT64, V INT64, W INT64 AS (V * 2) STORED) PRIMARY KEY (Id)");
        DatabaseClient database = spanner.connect(id);

        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "Cannot write into generated column `T.W`.",
                () -> database.write(
                        List.of(insert("T").set("Id").to(1).set("W").to(4).build())));
        assertFails(
                ErrorCode.INVALID_ARGUMENT,
                "Cannot INSERT value on non-writable column: W",
                () -> execute(database, "INSERT INTO T (Id, W) VALUES (1, 2)"));
        assertFails(
                ErrorCode.INVALID_ARGUMENT,
                "Cannot UPDATE value on non-writable column: W",
                () -> execute(database, "UPDATE T SET W = 1 WHERE TRUE"));
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "CREATE CHANGE STREAM S FOR T(W)"))
                .withMessageContaining("does not support tracking non-key generated column T.W");
    }

    @Test
    void a_generated_key_column_finds_its_row() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE T (Id INT64, V INT64, Shard INT64 NOT NULL AS (MOD(Id, 10)) STORED) PRIMARY KEY (Shard, Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        Timestamp first = database.write(
                List.of(insert("T").set("Id").to(17).set("V").to(1).build()));
        Timestamp last = database.write(List.of(
                Mutation.newUpdateBuilder("T").set("Id").to(17).set("V").to(2).build()));

        assertThat(texts(database, "SELECT Shard, Id, V FROM T")).containsExactly("7,17,2");
        assertThat(StreamedMods.of(database, "Changes", first, last))
                .containsExactlyInAnyOrder(
                        "T INSERT {\"Shard\":\"7\",\"Id\":\"17\"} {\"V\":\"1\"} {}",
                        "T UPDATE {\"Shard\":\"7\",\"Id\":\"17\"} {\"V\":\"2\"} {\"V\":\"1\"}");
    }

    @Test
    void sequences_and_identity_columns_give_bit_reversed_values() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.POSTGRESQL,
                "CREATE SEQUENCE s BIT_REVERSED_POSITIVE",
                "CREATE TABLE t (id bigint DEFAULT nextval('s') PRIMARY KEY, v bigint)",
                "CREATE TABLE u (id bigint GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE SKIP RANGE 1 1000 START"
                        + " COUNTER WITH 50) PRIMARY KEY, v bigint)");
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(
                insert("t").set("v").to(1).build(), insert("u").set("v").to(1).build()));
        execute(database, "INSERT INTO t (v) VALUES (2)");
        spanner.alter(id, "ALTER TABLE u ALTER COLUMN id RESTART COUNTER WITH 1");
        execute(database, "INSERT INTO u (v) VALUES (2)");

        assertThat(texts(database, "SELECT id FROM t ORDER BY v"))
                .containsExactly("4611686018427387904", "2305843009213693952");
        assertThat(texts(database, "SELECT id FROM u ORDER BY v"))
                .containsExactly("2738188573441261568", "4611686018427387904");
        assertFails(
                ErrorCode.INVALID_ARGUMENT,
                "can only be used in a read-write",
                () -> EmulatedSpanner.query(database, "SELECT nextval('s')"));
    }

    @Test
    void a_column_that_is_added_with_a_default_value_fills_the_rows() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)");
        DatabaseClient database = spanner.connect(id);
        execute(database, "INSERT INTO T (Id, V) VALUES (1, 3)");
        spanner.alter(
                id,
                "ALTER TABLE T ADD COLUMN D INT64 NOT NULL DEFAULT (5)",
                "ALTER TABLE T ADD COLUMN G INT64 AS (V + 1) STORED",
                "ALTER TABLE T ALTER COLUMN V SET DEFAULT (8)");
        execute(database, "INSERT INTO T (Id) VALUES (2)");
        spanner.alter(id, "ALTER TABLE T ALTER COLUMN V DROP DEFAULT");
        execute(database, "INSERT INTO T (Id) VALUES (3)");

        assertThat(texts(database, "SELECT Id, V, D, G FROM T ORDER BY Id"))
                .containsExactly("1,3,5,4", "2,8,5,9", "3,null,5,null");
    }

    private static DatabaseClient google(String... ddl) throws Exception {
        return spanner.connect(spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ddl));
    }

    private static Mutation.WriteBuilder insert(String table) {
        return Mutation.newInsertBuilder(table);
    }

    private static Timestamp execute(DatabaseClient database, String dml) {
        var runner = database.readWriteTransaction();
        runner.run(transaction -> transaction.executeUpdate(Statement.of(dml)));
        return runner.getCommitTimestamp();
    }

    private static List<String> texts(DatabaseClient database, String sql) {
        return EmulatedSpanner.texts(database, sql);
    }

    private static void assertFails(ErrorCode code, String message, Runnable write) {
        assertThatExceptionOfType(SpannerException.class)
                .isThrownBy(write::run)
                .withMessageContaining(message)
                .matches(e -> e.getErrorCode() == code);
    }
}
