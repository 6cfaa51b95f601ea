package dev.spream.differential;

import com.google.cloud.spanner.Dialect;
import java.util.ArrayList;
import java.util.List;

/**
 * The change streams of one of the workload's databases. No database has more than three that watch one table, which is
 * as many as Spanner allows.
 *
 * @param name what the test calls the database
 */
record Streams(String name, List<Stream> streams) {
    /** A stream: its name, what stands after FOR, and its options. */
    record Stream(String name, String watched, String options) {
        /** Returns whether it watches everything and excludes nothing. */
        boolean seesEverything() {
            return watched.equals("ALL") && !options.contains("exclude");
        }

        String ddl(Dialect dialect) {
            String clause = dialect == Dialect.POSTGRESQL ? " WITH (" : " OPTIONS (";
            String tail = options.isEmpty() ? "" : clause + options + ")";
            return "CREATE CHANGE STREAM " + name + " FOR " + watched + tail;
        }
    }

    private static final Streams EVERYTHING = new Streams(
            "everything",
            List.of(
                    new Stream("old_and_new", "ALL", ""),
                    new Stream("new_row", "ALL", "value_capture_type = 'NEW_ROW'"),
                    new Stream("new_row_old", "ALL", "value_capture_type = 'NEW_ROW_AND_OLD_VALUES'")));

    private static final Streams PARTS = new Streams(
            "parts",
            List.of(
                    new Stream("new_values", "ALL", "value_capture_type = 'NEW_VALUES'"),
                    new Stream("some_columns", "singles(c_int64, c_strings), pairs", ""),
                    new Stream("keys_only", "pairs(), marks", "value_capture_type = 'OLD_AND_NEW_VALUES'")));

    private static final Streams EXCLUSIONS = new Streams(
            "exclusions",
            List.of(
                    new Stream("no_inserts", "ALL", "exclude_insert = true"),
                    new Stream("no_updates", "ALL", "exclude_update = true, value_capture_type = 'NEW_ROW'"),
                    new Stream(
                            "no_deletes",
                            "pairs(name), singles(c_string, c_bool)",
                            "exclude_delete = true, value_capture_type = 'NEW_ROW_AND_OLD_VALUES'")));

    private static final Streams SOME_COLUMNS = new Streams(
            "some columns",
            List.of(
                    new Stream("some_new_values", "pairs(note, name)", "value_capture_type = 'NEW_VALUES'"),
                    new Stream("some_new_row", "pairs(amount)", "value_capture_type = 'NEW_ROW'")));

    static final List<Streams> ALL = List.of(EVERYTHING, PARTS, EXCLUSIONS, SOME_COLUMNS);

    /** True if the streams do not depend on the representation of a REPLACE of an existing row. */
    boolean bearReplacedRows() {
        return streams.stream().allMatch(Stream::seesEverything);
    }

    @Override
    public String toString() {
        return name;
    }

    List<String> ddl(Dialect dialect) {
        List<String> ddl = new ArrayList<>();
        WorkloadTable.ALL.forEach(table -> ddl.add(table.ddl(dialect)));
        streams.forEach(stream -> ddl.add(stream.ddl(dialect)));
        return ddl;
    }
}
