package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;

/**
 * Copies the privileges on a table to the table that replaces it, except those of the owner. The owner of the former
 * table keeps its privileges on the new one, even if it does not own it. Columns that only the new table has keep their
 * grants.
 */
final class TableGrants {
    private static final String GRANTS = """
            SELECT format('GRANT %s%s ON TABLE %s TO %s%s', a.privilege_type, g.columns, ?::text,
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_class old JOIN pg_class new ON new.oid = to_regclass(?)
            CROSS JOIN LATERAL (
                SELECT coalesce(old.relacl, acldefault('r', old.relowner)) AS acl, '' AS columns
                UNION ALL SELECT o.attacl, format(' (%I)', o.attname) FROM pg_attribute o
                JOIN pg_attribute n ON n.attname = o.attname AND n.attrelid = new.oid AND NOT n.attisdropped
                WHERE o.attrelid = old.oid AND NOT o.attisdropped
                UNION ALL SELECT n.attacl, format(' (%I)', n.attname) FROM pg_attribute n
                WHERE n.attrelid = new.oid AND NOT n.attisdropped AND NOT EXISTS (
                    SELECT FROM pg_attribute o
                    WHERE o.attrelid = old.oid AND o.attname = n.attname AND NOT o.attisdropped)
            ) AS g
            CROSS JOIN LATERAL aclexplode(g.acl) AS a
            WHERE old.oid = to_regclass(?) AND a.grantee <> new.relowner""";

    /** Revokes privileges, including those that the grantees granted in turn, and those on columns. */
    private static final String REVOKES = """
            SELECT DISTINCT format('REVOKE ALL ON TABLE %s FROM %s CASCADE', ?::text,
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
            FROM pg_class new
            CROSS JOIN LATERAL (
                SELECT new.relacl AS acl
                UNION ALL SELECT n.attacl FROM pg_attribute n WHERE n.attrelid = new.oid AND NOT n.attisdropped
            ) AS g
            CROSS JOIN LATERAL aclexplode(g.acl) AS a
            WHERE new.oid = to_regclass(?) AND a.grantee <> new.relowner""";

    private TableGrants() {}

    /**
     * Copies the privileges.
     *
     * @param old the quoted name of the former live table
     * @param coming the quoted name of the table that replaces it
     */
    static void makeSame(ProjectionTransaction transaction, String old, String coming) throws SQLException {
        StatementBatch trip = transaction.next();
        List<String> revokes = trip.rows(REVOKES, p -> p.text(coming).text(coming), row -> row.getString(1));
        List<String> grants = trip.rows(GRANTS, p -> p.text(coming).text(coming).text(old), row -> row.getString(1));
        trip.run();
        for (String revoke : revokes) {
            VersionSchemas.execute(transaction, revoke);
        }
        for (String grant : grants) {
            VersionSchemas.execute(transaction, grant);
        }
    }
}
