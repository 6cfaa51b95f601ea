package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Check constraints and foreign keys. */
class ConstraintsIT {
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
    void a_row_that_breaks_a_check_constraint_is_out_of_range() throws Exception {
        DatabaseClient database =
                google("CREATE TABLE T (Id INT64, V INT64, CONSTRAINT Positive CHECK (V > 0)) PRIMARY KEY (Id)");
        database.write(List.of(row("T", 1, 5), row("T", 2, null)));

        String violated = "Check constraint `T`.`Positive` is violated for key {Int64(3)}";
        assertFails(ErrorCode.OUT_OF_RANGE, violated, () -> database.write(List.of(row("T", 3, -1))));
        assertFails(ErrorCode.OUT_OF_RANGE, violated, () -> execute(database, "INSERT INTO T (Id, V) VALUES (3, -1)"));
        assertFails(
                ErrorCode.OUT_OF_RANGE,
                "for key {Int64(1)}",
                () -> execute(database, "UPDATE T SET V = V - 5 WHERE Id = 1"));
    }

    @Test
    void a_constraint_that_existing_rows_break_is_not_added() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)");
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(row("T", 1, 5)));

        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "ALTER TABLE T ADD CONSTRAINT C CHECK (V > 5)"))
                .withMessageContaining("Check constraint `T`.`C` is violated for key {Int64(1)}");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "ALTER TABLE T ADD CONSTRAINT F FOREIGN KEY (V) REFERENCES P (Id)"))
                .withMessageContaining("Cannot find referenced key `{Int64(5)}` in table `P`");
        database.write(List.of(row("P", 5, 0)));
        spanner.alter(
                id,
                "ALTER TABLE T ADD CONSTRAINT C CHECK (V > 4)",
                "ALTER TABLE T ADD CONSTRAINT F FOREIGN KEY (V) REFERENCES P (Id)");
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "A row with that key exists in the referencing table `T`",
                () -> database.write(List.of(Mutation.delete("P", Key.of(5)))));
        spanner.alter(id, "ALTER TABLE T DROP CONSTRAINT C", "ALTER TABLE T DROP CONSTRAINT F");
        database.write(List.of(row("T", 2, -1), Mutation.delete("P", Key.of(5))));
    }

    @Test
    void a_foreign_key_is_checked_after_all_mutations_of_a_commit() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64, CONSTRAINT F FOREIGN KEY (V) REFERENCES P (Id)) PRIMARY KEY (Id)");

        database.write(List.of(row("T", 1, 7), row("P", 7, 0)));
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "Foreign key `F` constraint violation on table `T`. Cannot find referenced key `{Int64(8)}` in table `P`.",
                () -> database.write(List.of(row("T", 2, 8))));
        database.write(List.of(
                Mutation.newReplaceBuilder("P").set("Id").to(7).set("V").to(1).build()));
        assertThat(EmulatedSpanner.texts(database, "SELECT Id, V FROM T")).containsExactly("1,7");
    }

    @Test
    void a_statement_that_breaks_a_foreign_key_leaves_the_transaction_usable() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64, FOREIGN KEY (V) REFERENCES P (Id)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        var runner = database.readWriteTransaction();
        runner.run(transaction -> {
            assertFails(
                    ErrorCode.FAILED_PRECONDITION,
                    "Cannot find referenced key",
                    () -> transaction.executeUpdate(Statement.of("INSERT INTO T (Id, V) VALUES (1, 9)")));
            return transaction.executeUpdate(Statement.of("INSERT INTO T (Id) VALUES (2)"));
        });
        Timestamp committed = runner.getCommitTimestamp();

        assertThat(EmulatedSpanner.texts(database, "SELECT Id FROM T")).containsExactly("2");
        assertThat(StreamedMods.of(database, "Changes", committed, committed))
                .containsExactly("T INSERT {\"Id\":\"2\"} {\"V\":null} {}");
    }

    @Test
    void rows_that_are_deleted_with_their_referenced_row_are_changes() throws Exception {
        DatabaseClient database = google(
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64, FOREIGN KEY (V) REFERENCES P (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
                "CREATE TABLE U (Id INT64, V INT64, FOREIGN KEY (V) REFERENCES T (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Changes FOR ALL");
        database.write(List.of(row("P", 1, 0), row("T", 2, 1), row("U", 3, 2), row("U", 4, null)));
        Timestamp deleted = database.write(List.of(Mutation.delete("P", Key.of(1))));

        assertThat(StreamedMods.of(database, "Changes", deleted, deleted))
                .containsExactlyInAnyOrder(
                        "P DELETE {\"Id\":\"1\"} {} {\"V\":\"0\"}",
                        "T DELETE {\"Id\":\"2\"} {} {\"V\":\"1\"}",
                        "U DELETE {\"Id\":\"3\"} {} {\"V\":\"2\"}");
    }

    @Test
    void a_mutation_that_breaks_a_constraint_has_the_error_of_spanner() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE P (Id INT64 NOT NULL, N STRING(5), R STRING(MAX) NOT NULL) PRIMARY KEY (Id)",
                "CREATE UNIQUE INDEX PByN ON P(N)",
                "CREATE TABLE C (Id INT64 NOT NULL, K STRING(MAX)) PRIMARY KEY (Id, K),"
                        + " INTERLEAVE IN PARENT P ON DELETE NO ACTION"));
        database.write(List.of(parent(1, "a"), child(1)));
        assertFails(ErrorCode.ALREADY_EXISTS, "Table P: Row {Int64(1)} already exists.", parent(1, "b"), database);
        assertFails(
                ErrorCode.ALREADY_EXISTS,
                "UNIQUE violation on index PByN,  duplicate key: {String(\"a\")} in this transaction.",
                parent(2, "a"),
                database);
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "New value exceeds the maximum size limit for this column: P.N, size: 6, limit: 5.",
                parent(2, "abcdef"),
                database);
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "A new row in table P does not specify a non-null value for NOT NULL column: R",
                Mutation.newInsertBuilder("P").set("Id").to(2).build(),
                database);
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "Cannot specify a null value for column: P.R in table: P",
                Mutation.newUpdateBuilder("P")
                        .set("Id")
                        .to(1)
                        .set("R")
                        .to((String) null)
                        .build(),
                database);
        assertFails(
                ErrorCode.NOT_FOUND,
                "Table P: Row {Int64(9)} not found.",
                Mutation.newUpdateBuilder("P").set("Id").to(9).set("N").to("x").build(),
                database);
        assertFails(
                ErrorCode.NOT_FOUND,
                "Insert failed because key was not found in parent table:  Parent Table: P  Child Table: C  Key: {Int64(9)}",
                child(9),
                database);
        assertFails(
                ErrorCode.FAILED_PRECONDITION,
                "Delete failed because one or more keys exist within the child table:  Parent Table: P  Child Table: C"
                        + "  Key: {Int64(1)}",
                Mutation.delete("P", Key.of(1)),
                database);
    }

    private static Mutation parent(long id, String name) {
        return Mutation.newInsertBuilder("P")
                .set("Id")
                .to(id)
                .set("N")
                .to(name)
                .set("R")
                .to("r")
                .build();
    }

    private static Mutation child(long id) {
        return Mutation.newInsertBuilder("C").set("Id").to(id).set("K").to("k").build();
    }

    private static void assertFails(ErrorCode code, String message, Mutation mutation, DatabaseClient database) {
        assertFails(code, message, () -> database.write(List.of(mutation)));
    }

    @Test
    void a_foreign_key_that_is_not_enforced_is_only_information() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64, CONSTRAINT F FOREIGN KEY (V) REFERENCES P (Id) NOT ENFORCED) PRIMARY"
                        + " KEY (Id)");
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(row("T", 1, 9)));

        assertThat(EmulatedSpanner.texts(
                        database,
                        "SELECT CONSTRAINT_NAME, ENFORCED FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS WHERE"
                                + " CONSTRAINT_TYPE = 'FOREIGN KEY'"))
                .containsExactly("F,NO");
        assertThat(String.join("\n", spanner.ddl(id))).contains("REFERENCES P(Id) NOT ENFORCED");
    }

    @Test
    void a_table_keeps_its_constraints_and_its_view_when_it_is_altered() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE P (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64 DEFAULT (7), G INT64 AS (V + 1) STORED, CONSTRAINT C CHECK (G > 1),"
                        + " CONSTRAINT F FOREIGN KEY (V) REFERENCES P (Id)) PRIMARY KEY (Id)",
                "CREATE VIEW W SQL SECURITY INVOKER AS SELECT t.G FROM T AS t");
        spanner.alter(
                id,
                "ALTER TABLE T ADD COLUMN X STRING(9)",
                "ALTER TABLE T ALTER COLUMN X STRING(20)",
                "ALTER TABLE P ADD COLUMN X INT64",
                "ALTER TABLE T DROP COLUMN X");
        DatabaseClient database = spanner.connect(id);

        database.write(List.of(
                row("P", 7, null),
                Mutation.newInsertBuilder("T").set("Id").to(1).build()));
        assertThat(EmulatedSpanner.texts(database, "SELECT G FROM W")).containsExactly("8");
        assertFails(ErrorCode.OUT_OF_RANGE, "`T`.`C`", () -> database.write(List.of(row("T", 2, 0))));
        assertFails(ErrorCode.FAILED_PRECONDITION, "Foreign key `F`", () -> database.write(List.of(row("T", 2, 9))));
    }

    @Test
    void the_columns_of_constraints_are_not_dropped() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.POSTGRESQL,
                "CREATE TABLE p (id bigint PRIMARY KEY)",
                "CREATE TABLE t (id bigint PRIMARY KEY, v bigint CHECK (v > 0), w bigint CONSTRAINT f REFERENCES p(id))");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "ALTER TABLE t DROP COLUMN v"))
                .withMessageContaining("Cannot drop column `v` on which there is a dependent check constraint");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "ALTER TABLE t DROP COLUMN w"))
                .withMessageContaining("It is used by one or more foreign keys: `f`");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "DROP TABLE p"))
                .withMessageContaining("It is referenced by one or more foreign keys: `f`");
    }

    private static DatabaseClient google(String... ddl) throws Exception {
        return spanner.connect(spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ddl));
    }

    private static Mutation row(String table, long id, @Nullable Integer value) {
        return Mutation.newInsertBuilder(table)
                .set("Id")
                .to(id)
                .set("V")
                .to(value == null ? null : Long.valueOf(value))
                .build();
    }

    private static void execute(DatabaseClient database, String dml) {
        database.readWriteTransaction().run(transaction -> transaction.executeUpdate(Statement.of(dml)));
    }

    private static void assertFails(ErrorCode code, String message, Runnable write) {
        assertThatExceptionOfType(SpannerException.class)
                .isThrownBy(write::run)
                .withMessageContaining(message)
                .matches(e -> e.getErrorCode() == code);
    }
}
