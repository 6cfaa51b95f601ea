package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of writes and change streams of a table while its schema changes. */
class SchemaChangeIT {
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
    void a_table_is_written_to_and_watched_after_its_columns_were_added_altered_and_dropped() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Notes (Id INT64 NOT NULL, Text STRING(10)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM NotesStream FOR ALL");
        DatabaseClient database = spanner.connect(id);
        Timestamp first = database.write(List.of(note("Text", "a")));
        change(id, "ALTER TABLE Notes ADD COLUMN Extra STRING(10)");
        database.write(List.of(note("Extra", "b")));
        change(id, "ALTER TABLE Notes ALTER COLUMN Text STRING(20)");
        database.write(List.of(note("Text", "longer than ten")));
        change(id, "ALTER TABLE Notes DROP COLUMN Extra");
        Timestamp last = database.write(List.of(note("Text", "d")));

        assertThat(database.singleUse()
                        .readRow("Notes", Key.of(1), List.of("Text"))
                        .getString(0))
                .isEqualTo("d");
        assertThat(newValues(database, first, last)).containsExactly("\"a\"", "\"b\"", "\"longer than ten\"", "\"d\"");
    }

    @Test
    void a_client_that_has_read_the_information_schema_sees_later_changes() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL, "CREATE TABLE Notes (Id INT64 NOT NULL) PRIMARY KEY (Id)");
        DatabaseClient database = spanner.connect(id);
        assertThat(streams(database)).isEmpty();
        change(id, "CREATE CHANGE STREAM NotesStream FOR ALL");
        assertThat(streams(database)).containsExactly("NotesStream");
        change(id, "DROP CHANGE STREAM NotesStream");
        assertThat(streams(database)).isEmpty();
    }

    private static List<String> streams(DatabaseClient database) {
        String query = "SELECT change_stream_name FROM information_schema.change_streams";
        return EmulatedSpanner.query(database, query).stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private static Mutation note(String column, String text) {
        return Mutation.newInsertOrUpdateBuilder("Notes")
                .set("Id")
                .to(1)
                .set(column)
                .to(text)
                .build();
    }

    private static void change(DatabaseId id, String ddl) throws Exception {
        spanner.client()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(id.getInstanceId().getInstance(), id.getDatabase(), List.of(ddl), null)
                .get();
    }

    /** The one string in each change's new values, in the order of the changes. */
    private static List<String> newValues(DatabaseClient database, Timestamp start, Timestamp end) {
        List<String> values = new ArrayList<>();
        for (Struct root : changes(database, start, end, null)) {
            for (Struct children : root.getStructList("child_partitions_record")) {
                for (Struct child : children.getStructList("child_partitions")) {
                    changes(database, start, end, child.getString("token"))
                            .forEach(change -> change.getStructList("data_change_record")
                                    .forEach(data -> data.getStructList("mods")
                                            .forEach(mod -> values.add(text(mod.getJson("new_values"))))));
                }
            }
        }
        return values;
    }

    private static String text(String newValues) {
        return newValues.replaceAll("(?s)^.*\"(?:Text|Extra)\"\\s*:\\s*(?!null)(\"[^\"]*\").*$", "$1");
    }

    private static List<Struct> changes(
            DatabaseClient database, Timestamp start, Timestamp end, @Nullable String token) {
        Statement query = Statement.newBuilder(
                        "SELECT ChangeRecord FROM READ_NotesStream(@start, @end, @token, 300000)")
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
