package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables in named schemas: in mutations, reads, statements and change streams. */
class NamedSchemaIT {
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
    void a_change_has_the_name_of_its_table_with_the_schema() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE SCHEMA Sales",
                "CREATE TABLE Sales.T (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE T (Id INT64, V INT64) PRIMARY KEY (Id)",
                "CREATE TABLE Sales.C (Id INT64, N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Sales.T ON DELETE CASCADE",
                "CREATE CHANGE STREAM One FOR Sales.T(V)",
                "CREATE CHANGE STREAM Everything FOR ALL"));
        Timestamp first = database.write(List.of(row("Sales.T"), row("T")));
        var runner = database.readWriteTransaction();
        runner.run(transaction -> transaction.batchUpdate(List.of(
                Statement.of("UPDATE Sales.T SET V = 2 WHERE T.Id = 1"),
                Statement.of("INSERT INTO Sales.C (Id, N) VALUES (1, 5)"))));
        Timestamp last = database.write(List.of(Mutation.delete("Sales.T", Key.of(1))));

        assertThat(StreamedMods.of(database, "One", first, last))
                .containsExactlyInAnyOrder(
                        "Sales.T INSERT {\"Id\":\"1\"} {\"V\":\"1\"} {}",
                        "Sales.T UPDATE {\"Id\":\"1\"} {\"V\":\"2\"} {\"V\":\"1\"}",
                        "Sales.T DELETE {\"Id\":\"1\"} {} {\"V\":\"2\"}");
        assertThat(StreamedMods.of(database, "Everything", first, last))
                .contains("T INSERT {\"Id\":\"1\"} {\"V\":\"1\"} {}")
                .contains("Sales.C DELETE {\"Id\":\"1\",\"N\":\"5\"} {} {}")
                .hasSize(6);
    }

    @Test
    void tables_of_one_name_in_two_schemas_have_their_own_rows() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.POSTGRESQL,
                "CREATE SCHEMA sales",
                "CREATE TABLE sales.t (id bigint PRIMARY KEY, v bigint)",
                "CREATE TABLE t (id bigint PRIMARY KEY, v bigint)");
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(row("sales.t")));

        assertThat(EmulatedSpanner.rows(database.singleUse().read("sales.t", KeySet.all(), List.of("id", "v"))))
                .hasSize(1);
        assertThat(EmulatedSpanner.texts(database, "SELECT t.v FROM sales.t WHERE t.id = 1"))
                .containsExactly("1");
        assertThat(EmulatedSpanner.texts(database, "SELECT v FROM public.t")).isEmpty();
        assertThat(EmulatedSpanner.texts(
                        database,
                        "SELECT table_schema FROM information_schema.tables WHERE table_name = 't' ORDER BY 1"))
                .containsExactly("public", "sales");
        assertThat(spanner.ddl(id))
                .startsWith("CREATE SCHEMA sales")
                .anyMatch(ddl -> ddl.startsWith("CREATE TABLE sales.t ("));
    }

    @Test
    void a_schema_exists_before_its_tables_and_ends_after_them() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL, "CREATE SCHEMA S", "CREATE TABLE S.T (Id INT64) PRIMARY KEY (Id)");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "CREATE TABLE Other.T (Id INT64) PRIMARY KEY (Id)"))
                .withMessageContaining("Schema not found: Other");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.alter(id, "DROP SCHEMA S"))
                .withMessageContaining("Cannot drop schema S while it has dependencies: S.T");
        spanner.alter(id, "DROP TABLE S.T", "DROP SCHEMA S");
        assertThat(spanner.ddl(id)).isEmpty();
    }

    private static Mutation row(String table) {
        return Mutation.newInsertBuilder(table).set("Id").to(1).set("V").to(1).build();
    }
}
