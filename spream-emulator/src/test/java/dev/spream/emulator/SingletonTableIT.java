package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A table whose primary key has no columns: it holds one row at most. */
class SingletonTableIT {
    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.found();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @Test
    void it_takes_one_row_by_mutation_and_by_statement() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE Settings (Mode STRING(9), N INT64) PRIMARY KEY ()"));
        database.write(List.of(mode(Mutation.newInsertBuilder("Settings"), "a")));
        assertThatExceptionOfType(SpannerException.class)
                .isThrownBy(() -> database.write(List.of(mode(Mutation.newInsertBuilder("Settings"), "b"))))
                .matches(e -> e.getErrorCode() == ErrorCode.ALREADY_EXISTS);
        database.write(List.of(mode(Mutation.newUpdateBuilder("Settings"), "c")));
        assertThat(database.singleUse()
                        .readRow("Settings", Key.of(), List.of("Mode"))
                        .getString(0))
                .isEqualTo("c");
        database.write(List.of(mode(Mutation.newReplaceBuilder("Settings"), "d")));
        database.write(List.of(Mutation.delete("Settings", Key.of())));
        assertThat(rows(database)).isEmpty();
        database.write(List.of(mode(Mutation.newInsertOrUpdateBuilder("Settings"), "e")));
        database.write(List.of(mode(Mutation.newInsertOrUpdateBuilder("Settings"), "f")));
        execute(database, "UPDATE Settings SET N = 1 WHERE TRUE");
        execute(database, "INSERT OR IGNORE INTO Settings (Mode) VALUES ('g')");
        execute(database, "INSERT OR UPDATE INTO Settings (Mode) VALUES ('h')");
        assertThat(rows(database)).containsExactly("h/1");
        execute(database, "DELETE FROM Settings WHERE TRUE");
        execute(database, "INSERT INTO Settings (Mode, N) VALUES ('i', 2)");
        assertThat(rows(database)).containsExactly("i/2");
        assertThat(EmulatedSpanner.query(database, "SELECT * FROM Settings")
                        .getFirst()
                        .getColumnCount())
                .isEqualTo(2);
    }

    @Test
    void its_changes_have_the_json_value_null_for_keys() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Settings (Mode STRING(9)) PRIMARY KEY ()",
                "CREATE CHANGE STREAM Changes FOR ALL");
        DatabaseClient database = spanner.connect(id);
        Timestamp first = database.write(List.of(mode(Mutation.newInsertBuilder("Settings"), "a")));
        spanner.client()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(
                        id.getInstanceId().getInstance(),
                        id.getDatabase(),
                        List.of("ALTER TABLE Settings ADD COLUMN N INT64"),
                        null)
                .get();
        database.write(List.of(mode(Mutation.newUpdateBuilder("Settings"), "b")));
        Timestamp last = database.write(List.of(Mutation.delete("Settings", KeySet.all())));

        assertThat(mods(database, first, last))
                .containsExactly("INSERT null {\"Mode\":\"a\"}", "UPDATE null {\"Mode\":\"b\"}", "DELETE null {}");
    }

    @Test
    void a_key_without_columns_is_declared_and_only_in_googlesql() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() ->
                        spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE Settings (Mode STRING(9))"))
                .withMessageContaining("Primary key must be defined");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> spanner.createDatabase(
                        Dialect.POSTGRESQL, "CREATE TABLE settings (mode varchar, PRIMARY KEY ())"))
                .withMessageContaining("FAILED_PRECONDITION")
                .withMessageContaining("Primary key must be defined");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() ->
                        spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE Settings () PRIMARY KEY ()"))
                .withMessageContaining("Tables without columns are not supported by this emulator");
    }

    private static Mutation mode(Mutation.WriteBuilder write, String mode) {
        return write.set("Mode").to(mode).build();
    }

    private static void execute(DatabaseClient database, String dml) {
        database.readWriteTransaction().run(transaction -> transaction.executeUpdate(Statement.of(dml)));
    }

    private static List<String> rows(DatabaseClient database) {
        return EmulatedSpanner.rows(database.singleUse().read("Settings", KeySet.all(), List.of("Mode", "N"))).stream()
                .map(row -> row.getString(0) + "/" + (row.isNull(1) ? null : row.getLong(1)))
                .toList();
    }

    private static List<String> mods(DatabaseClient database, Timestamp start, Timestamp end) {
        List<String> mods = new ArrayList<>();
        for (Struct root : changes(database, start, end, null)) {
            for (Struct children : root.getStructList("child_partitions_record")) {
                for (Struct child : children.getStructList("child_partitions")) {
                    for (Struct change : changes(database, start, end, child.getString("token"))) {
                        for (Struct data : change.getStructList("data_change_record")) {
                            data.getStructList("mods")
                                    .forEach(mod -> mods.add(data.getString("mod_type") + " " + mod.getJson("keys")
                                            + " " + mod.getJson("new_values").replaceAll("\\s", "")));
                        }
                    }
                }
            }
        }
        return mods;
    }

    private static List<Struct> changes(
            DatabaseClient database, Timestamp start, Timestamp end, @Nullable String token) {
        Statement query = Statement.newBuilder("SELECT ChangeRecord FROM READ_Changes(@start, @end, @token, 300000)")
                .bind("start")
                .to(start)
                .bind("end")
                .to(end)
                .bind("token")
                .to(Value.string(token))
                .build();
        return EmulatedSpanner.rows(database.singleUse().executeQuery(query)).stream()
                .flatMap(row -> row.getStructList(0).stream())
                .toList();
    }
}
