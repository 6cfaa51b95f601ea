package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** The contents of the schemas of versions. */
final class SchemaContents {
    /**
     * Selects other objects. Indexes and row types belong to their tables; the sequence of a column moves with its
     * table.
     */
    private static final String OTHERS = """
            SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS what
            FROM pg_namespace n
            JOIN pg_depend d ON d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid AND d.deptype = 'n'
            LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
            WHERE n.nspname = ? AND (c.relkind IN ('r', 'p') AND c.relname = ANY (?::text[])) IS NOT TRUE AND NOT EXISTS (
                SELECT FROM pg_depend o JOIN pg_class t ON t.oid = o.refobjid
                WHERE o.classid = 'pg_class'::regclass AND o.objid = c.oid AND c.relkind = 'S'
                    AND o.refclassid = 'pg_class'::regclass AND o.deptype IN ('a', 'i')
                    AND t.relnamespace = n.oid AND t.relname = ANY (?::text[]))
            ORDER BY 1 LIMIT 10""";

    private static final String TAKEN = """
            WITH named AS (
                SELECT t.oid, true AS coming FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
                WHERE n.nspname = ? AND t.relname = ANY (?::text[])
                UNION ALL SELECT t.oid, false FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
                WHERE n.nspname = ? AND t.relname = ANY (?::text[])
            ), moved AS (
                SELECT oid, coming FROM named
                UNION ALL SELECT i.indexrelid, t.coming FROM named t JOIN pg_index i ON i.indrelid = t.oid
                UNION ALL SELECT s.oid, t.coming FROM named t
                JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
                    AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
                JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
            ), types AS (
                SELECT t.oid, t.typname, n.coming FROM named n JOIN pg_type t ON t.typrelid = n.oid
                UNION ALL SELECT a.oid, a.typname, n.coming FROM named n JOIN pg_type t ON t.typrelid = n.oid
                JOIN pg_type a ON a.oid = t.typarray
            )
            SELECT c.relname::text AS what FROM moved m JOIN pg_class c ON c.oid = m.oid
            JOIN pg_namespace h ON h.nspname = ? JOIN pg_class t ON t.relnamespace = h.oid AND t.relname = c.relname
            WHERE m.coming AND NOT EXISTS (SELECT FROM moved g WHERE g.oid = t.oid)
            UNION SELECT 'type ' || y.typname FROM types y
            JOIN pg_namespace h ON h.nspname = ? JOIN pg_type t ON t.typnamespace = h.oid AND t.typname = y.typname
            WHERE y.coming AND t.typrelid = 0 AND t.typcategory <> 'A' AND NOT EXISTS (SELECT FROM types g WHERE g.oid = t.oid)
            ORDER BY 1 LIMIT 10""";

    private SchemaContents() {}

    /** Returns the contents of a schema except these tables and the objects that move with them. */
    static List<String> others(ProjectionTransaction transaction, String schema, Set<String> tables)
            throws SQLException {
        return transaction.rows(OTHERS, p -> p.text(schema).texts(tables).texts(tables), row -> row.getString("what"));
    }

    /**
     * Returns the names of tables, indexes, sequences and types that cannot move to another schema because it has
     * others of the same name.
     *
     * @param coming the tables of the schema that move
     * @param going the tables that leave {@code home}
     */
    static List<String> taken(
            ProjectionTransaction transaction, String schema, Set<String> coming, String home, Set<String> going)
            throws SQLException {
        return transaction.rows(
                TAKEN,
                p -> p.text(schema)
                        .texts(coming)
                        .text(home)
                        .texts(going)
                        .text(home)
                        .text(home),
                row -> row.getString("what"));
    }
}
