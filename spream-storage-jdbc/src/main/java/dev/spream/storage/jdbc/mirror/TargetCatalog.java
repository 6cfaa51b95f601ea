package dev.spream.storage.jdbc.mirror;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.mirror.TargetTable.UniqueKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Reads the definition of a table from PostgreSQL's catalog. */
final class TargetCatalog {
    private static final String COLUMNS = """
            SELECT a.attname, format_type(a.atttypid, -1) AS cast_type, coalesce(e.typname, b.typname) AS base_type,
                e.oid IS NOT NULL AS is_array, a.attgenerated <> '' AS is_generated,
                (a.attnotnull OR t.typnotnull) AND NOT a.atthasdef AND a.attidentity = '' AS is_required
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            JOIN pg_type t ON t.oid = a.atttypid
            JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
            LEFT JOIN pg_type e ON e.oid = b.typelem AND b.typcategory = 'A'
            WHERE n.nspname = ? AND c.relname = ? AND c.relkind IN ('r', 'p')
            """;

    /** Selects the unique keys. Before version 15, indexes do not support NULLS NOT DISTINCT. */
    private static final String UNIQUE_KEYS = """
            SELECT ARRAY(SELECT a.attname::text FROM pg_attribute a
                    WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])) AS columns,
                coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false) AS takes_null
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relname = ? AND i.indisunique AND i.indisvalid AND i.indimmediate
                AND i.indpred IS NULL
                AND (i.indexprs IS NULL OR i.indnkeyatts = 1 AND pg_get_expr(i.indexprs, i.indrelid) = 'true')
            ORDER BY takes_null DESC
            """;

    /** Selects the longest chain of foreign keys; a cycle ends at some depth. An action on delete is never deferred. */
    private static final String REFERENCES = """
            WITH RECURSIVE above (oid, depth) AS (
                SELECT c.oid, 0 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND c.relname = ?
                UNION
                SELECT f.confrelid, a.depth + 1 FROM above a JOIN pg_constraint f ON f.conrelid = a.oid
                WHERE f.contype = 'f' AND NOT f.condeferred AND f.confrelid <> f.conrelid AND a.depth < 50)
            SELECT coalesce(max(depth), 0) AS depth, EXISTS (
                SELECT FROM pg_constraint f JOIN above a ON a.oid = f.confrelid AND a.depth = 0
                WHERE f.contype = 'f' AND (NOT f.condeferred OR f.confdeltype <> 'a')) AS is_referred
            FROM above
            """;

    private TargetCatalog() {}

    static Optional<TargetTable> read(Connection connection, TableName name) throws SQLException {
        Map<String, TargetColumn> columns = columns(connection, name);
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new TargetTable(
                        name, Map.copyOf(columns), uniqueKeys(connection, name), references(connection, name)));
    }

    private static Map<String, TargetColumn> columns(Connection connection, TableName name) throws SQLException {
        Map<String, TargetColumn> columns = new HashMap<>();
        rows(
                        connection,
                        COLUMNS,
                        name,
                        row -> new TargetColumn(
                                row.getString("attname"),
                                row.getString("cast_type"),
                                row.getString("base_type"),
                                row.getBoolean("is_array"),
                                row.getBoolean("is_required"),
                                row.getBoolean("is_generated")))
                .forEach(column -> columns.put(column.name(), column));
        return columns;
    }

    private static List<UniqueKey> uniqueKeys(Connection connection, TableName name) throws SQLException {
        return rows(
                connection,
                UNIQUE_KEYS,
                name,
                row -> new UniqueKey(Set.copyOf(Parameters.texts(row, "columns")), row.getBoolean("takes_null")));
    }

    private static TargetTable.References references(Connection connection, TableName name) throws SQLException {
        return rows(
                        connection,
                        REFERENCES,
                        name,
                        row -> new TargetTable.References(row.getInt("depth"), row.getBoolean("is_referred")))
                .getFirst();
    }

    private static <T> List<T> rows(Connection connection, String sql, TableName name, Database.RowReader<T> reader)
            throws SQLException {
        return new Statements(connection, UnaryOperator.identity())
                .rows(sql, p -> p.text(name.schema()).text(name.table()), reader);
    }
}
