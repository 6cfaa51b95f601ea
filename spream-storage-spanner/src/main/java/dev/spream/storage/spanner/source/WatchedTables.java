package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.StructReader;
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.spanner.Value;
import dev.spream.storage.spanner.source.WatchedTable.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads from the information schema which tables and columns a change stream watches. Generated columns that are not in
 * the primary key are not watched.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/information-schema#change_streams">Spanner: information schema,
 *     change streams</a>
 */
record WatchedTables(DatabaseClient client, Dialect dialect, String stream) {
    private static final String COLUMNS = """
            select c.table_schema, c.table_name, c.column_name, c.ordinal_position,
              k.ordinal_position, c.is_generated, w.all_columns, w.table_name, l.column_name
            from information_schema.columns c
            join information_schema.tables t
              on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
            left join information_schema.index_columns k
              on k.table_schema = c.table_schema and k.table_name = c.table_name and k.column_name = c.column_name
              and k.index_type = 'PRIMARY_KEY'
            left join information_schema.change_stream_tables w
              on w.table_schema = c.table_schema and w.table_name = c.table_name and w.change_stream_name = %1$s
            left join information_schema.change_stream_columns l
              on l.table_schema = c.table_schema and l.table_name = c.table_name and l.column_name = c.column_name
              and l.change_stream_name = %1$s
            order by c.table_schema, c.table_name, k.ordinal_position, c.ordinal_position""";

    // The places of its columns.
    private static final int TABLE_SCHEMA = 0;
    private static final int TABLE_NAME = 1;
    private static final int COLUMN_NAME = 2;
    private static final int ORDINAL_POSITION = 3;
    private static final int KEY_POSITION = 4;
    private static final int IS_GENERATED = 5;
    private static final int ALL_COLUMNS = 6;
    private static final int WATCHED_TABLE = 7;
    private static final int WATCHED_COLUMN = 8;

    private static final Set<String> SYSTEM_SCHEMAS = Set.of("information_schema", "spanner_sys", "pg_catalog");

    /** Returns the tables as of that time, by name. */
    Map<String, WatchedTable> at(TimestampBound time) {
        boolean all = watchesAll(time);
        Map<String, List<Column>> keys = new LinkedHashMap<>();
        Map<String, List<Column>> others = new LinkedHashMap<>();
        try (ResultSet row = query(COLUMNS, time)) {
            while (row.next()) {
                boolean inKey = !row.isNull(KEY_POSITION);
                boolean watched = isTableWatched(row, all) && (inKey || isColumnWatched(row, all));
                if (watched) {
                    String table = name(row.getString(TABLE_SCHEMA), row.getString(TABLE_NAME));
                    (inKey ? keys : others)
                            .computeIfAbsent(table, name -> new ArrayList<>())
                            .add(new Column(row.getString(COLUMN_NAME), row.getLong(ORDINAL_POSITION)));
                    keys.putIfAbsent(table, new ArrayList<>());
                }
            }
        }
        Map<String, WatchedTable> tables = new LinkedHashMap<>();
        keys.forEach((table, key) ->
                tables.put(table, new WatchedTable(table, key, others.getOrDefault(table, List.of()))));
        return tables;
    }

    private static boolean isTableWatched(StructReader row, boolean all) {
        return !row.isNull(WATCHED_TABLE)
                || (all && !SYSTEM_SCHEMAS.contains(row.getString(TABLE_SCHEMA).toLowerCase(Locale.ROOT)));
    }

    private static boolean isColumnWatched(StructReader row, boolean all) {
        boolean ofTable = !row.isNull(ALL_COLUMNS) && isYes(row.getValue(ALL_COLUMNS));
        return row.getString(IS_GENERATED).equals("NEVER") && (all || ofTable || !row.isNull(WATCHED_COLUMN));
    }

    /** Returns whether the stream watches the whole database. */
    private boolean watchesAll(TimestampBound time) {
        try (ResultSet row =
                query("select * from information_schema.change_streams where change_stream_name = %1$s", time)) {
            return row.next() && isYes(row.getValue(dialect == Dialect.POSTGRESQL ? "all" : "ALL"));
        }
    }

    /** Returns the value of a column that is boolean or text. */
    private static boolean isYes(Value value) {
        return Set.of("true", "yes").contains(value.getAsString().toLowerCase(Locale.ROOT));
    }

    private ResultSet query(String text, TimestampBound time) {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        return client.singleUse(time)
                .executeQuery(Statement.newBuilder(text.formatted(postgres ? "$1" : "@stream"))
                        .bind(postgres ? "p1" : "stream")
                        .to(stream)
                        .build());
    }

    private static String name(String schema, String table) {
        return schema.isEmpty() || schema.equals("public") ? table : schema + "." + table;
    }
}
