package dev.spream.storage.jdbc.projection;

import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Exchanges the tables of two versions: those of the one that was live go to a schema of its own, the others come to where
 * readers find them, and what readers may do with them comes along.
 */
final class TableExchange {
    private static final String FOUND = """
            SELECT t.name FROM unnest(?::text[]) AS t (name)
            WHERE to_regclass(quote_ident(?) || '.' || quote_ident(t.name)) IS NOT NULL ORDER BY 1""";

    private static final String HAS_SCHEMA = "SELECT true FROM pg_namespace WHERE nspname = ?";

    /** What others than the owner may do, with the whole table and with columns that both have. */
    private static final String GRANTS = """
            SELECT format('GRANT %%s%%s ON TABLE %%s TO %%s%%s', a.privilege_type, g.columns, ?::text,
                CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_class c
            CROSS JOIN LATERAL (
                SELECT c.relacl AS acl, '' AS columns
                UNION ALL SELECT o.attacl, format(' (%%I)', o.attname) FROM pg_attribute o
                JOIN pg_attribute n ON n.attname = o.attname AND n.attrelid = to_regclass(?) AND NOT n.attisdropped
                WHERE o.attrelid = c.oid AND o.attacl IS NOT NULL AND NOT o.attisdropped
            ) AS g
            CROSS JOIN LATERAL aclexplode(g.acl) AS a
            WHERE c.oid = to_regclass(?) AND a.grantee <> c.relowner""".replace("%%", "%");

    private static final String MOVED = """
            UPDATE @projection_versions SET tables = ?::text[], home = ?, own_schema = ? WHERE projection = ? AND version = ?""";

    /** Something is in it, or it is somebody else's. */
    private static final Set<String> KEPT = Set.of("2BP01", "42501");

    private final ProjectionTransaction transaction;
    private final VersionPair pair;

    TableExchange(ProjectionTransaction transaction, VersionPair pair) {
        this.transaction = transaction;
        this.pair = pair;
    }

    /** Does it, as soon as nobody reads them. */
    void run(StandStill stand) throws SQLException {
        Optional<String> home = pair.other().home();
        Optional<String> incoming = pair.other().ownSchema();
        if (home.isEmpty() || incoming.isEmpty()) {
            return;
        }
        Set<String> coming = pair.other().code().tables();
        Set<String> going = found(home.get(), goingNames());
        String outgoing = pair.live()
                .ownSchema()
                .orElseGet(() -> VersionSchemas.name(
                        home.get(), pair.projection(), pair.live().version().version()));
        List<String> tables = new ArrayList<>();
        going.forEach(table -> tables.add(VersionSchemas.quoted(home.get(), table)));
        coming.forEach(table -> tables.add(VersionSchemas.quoted(incoming.get(), table)));
        TableLocks.take(transaction, pair.projection(), tables, stand);
        for (String table : coming) {
            if (going.contains(table)) {
                grant(VersionSchemas.quoted(home.get(), table), VersionSchemas.quoted(incoming.get(), table));
            }
        }
        ensure(outgoing);
        for (String table : going) {
            move(home.get(), table, outgoing);
        }
        for (String table : coming) {
            move(incoming.get(), table, home.get());
        }
        removeIfEmpty(incoming.get());
        transaction
                .next()
                .update(
                        MOVED,
                        p -> p.texts(going)
                                .text(home.get())
                                .text(outgoing)
                                .text(pair.projection())
                                .number(pair.live().version().version()))
                .run();
    }

    /** If its code has not said what it writes, those that the other one has. */
    private Set<String> goingNames() {
        Set<String> known = pair.live().code().tables();
        return known.isEmpty() ? pair.other().code().tables() : known;
    }

    private Set<String> found(String schema, Set<String> tables) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> rows = trip.rows(FOUND, p -> p.texts(tables).text(schema), row -> row.getString("name"));
        trip.run();
        return new TreeSet<>(rows.list());
    }

    private void grant(String from, String to) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> grants =
                trip.rows(GRANTS, p -> p.text(to).text(to).text(from), row -> row.getString(1));
        trip.run();
        for (String grant : grants.list()) {
            VersionSchemas.execute(transaction, grant);
        }
    }

    private void ensure(String schema) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<Boolean> there = trip.rows(HAS_SCHEMA, p -> p.text(schema), row -> true);
        trip.run();
        if (there.isEmpty()) {
            VersionSchemas.create(transaction, schema);
        }
    }

    /** It is made anew when its version leaves. What else was made in it stays. */
    private void removeIfEmpty(String schema) throws SQLException {
        Savepoint before = transaction.connection().setSavepoint();
        try {
            VersionSchemas.execute(transaction, "DROP SCHEMA " + VersionSchemas.quoted(schema));
        } catch (SQLException e) {
            if (!KEPT.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            transaction.connection().rollback(before);
        }
    }

    private void move(String from, String table, String to) throws SQLException {
        VersionSchemas.execute(
                transaction,
                "ALTER TABLE %s SET SCHEMA %s"
                        .formatted(VersionSchemas.quoted(from, table), VersionSchemas.quoted(to)));
    }
}
