package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionVersion;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Exchanges the tables of two versions: the former live tables move to a schema of their own, the others to the schema
 * where readers find them, with the same privileges.
 */
record TableExchange(ProjectionTransaction transaction, LiveAndCandidate pair) {
    private static final String FOUND = """
            SELECT t.name FROM unnest(?::text[]) AS t (name)
            WHERE to_regclass(quote_ident(?) || '.' || quote_ident(t.name)) IS NOT NULL ORDER BY 1""";

    private static final String OWNER = """
            SELECT quote_ident(pg_get_userbyid(c.relowner)) AS role FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relname = ANY (?::text[]) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1""";

    /** Selects the owners, and the roles that may write the tables that leave. */
    private static final String WRITERS = """
            WITH leaving AS (
                SELECT c.relowner, c.relacl FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND c.relname = ANY (?::text[])
            )
            SELECT CASE w.role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(w.role)) END AS role FROM (
                SELECT l.relowner AS role FROM leaving l
                UNION SELECT a.grantee FROM leaving l, aclexplode(l.relacl) AS a
                WHERE a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
                UNION SELECT c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = ? AND c.relname = ANY (?::text[])) AS w
            ORDER BY 1""";

    private static final String MOVED = """
            UPDATE @projection_versions SET tables = ?::text[], home = ?, own_schema = ? WHERE projection = ? AND version = ?""";

    /** The errors of dropping a schema that is not empty, or not owned by the version. */
    private static final Set<String> KEPT = Set.of("2BP01", "42501");

    /** @throws IllegalStateException if the new live tables lack attachments of the former ones */
    void requireSame() throws SQLException {
        Optional<String> home = pair.other().home();
        Optional<String> incoming = pair.other().ownSchema();
        if (home.isPresent() && incoming.isPresent()) {
            TableAttachments.requireSame(
                    transaction,
                    pair,
                    home.get(),
                    incoming.get(),
                    pair.other().code().tables());
        }
    }

    /** Exchanges the tables, as soon as no session reads them. */
    void run(QuiescedVersions stand) throws SQLException {
        Optional<String> home = pair.other().home();
        Optional<String> incoming = pair.other().ownSchema();
        if (home.isEmpty() || incoming.isEmpty()) {
            return;
        }
        Set<String> coming = pair.other().code().tables();
        Set<String> going = found(home.get(), pair.live().code().tables());
        requireKnown(home.get(), coming);
        String outgoing = pair.live()
                .ownSchema()
                .orElseGet(() -> VersionSchemas.name(
                        home.get(), pair.projection(), pair.live().version().version()));
        List<String> tables = new ArrayList<>();
        coming.forEach(table -> tables.add(VersionSchemas.quoted(incoming.get(), table)));
        going.forEach(table -> tables.add(VersionSchemas.quoted(home.get(), table)));
        TableLocks.take(transaction, pair.projection(), tables, stand);
        requireFree(home.get(), going, incoming.get(), coming);
        for (String table : coming) {
            if (going.contains(table)) {
                String old = VersionSchemas.quoted(home.get(), table);
                String next = VersionSchemas.quoted(incoming.get(), table);
                TableGrants.makeSame(transaction, old, next);
                TableTriggers.exchange(transaction, old, next);
            }
        }
        ensure(outgoing, home.get(), going, incoming.get(), coming);
        for (String table : going) {
            move(home.get(), table, outgoing);
        }
        for (String table : coming) {
            move(incoming.get(), table, home.get());
        }
        removeIfEmpty(incoming.get());
        transaction.update(
                MOVED,
                p -> p.texts(going)
                        .text(home.get())
                        .text(outgoing)
                        .text(pair.projection())
                        .number(pair.live().version().version()));
    }

    /** Requires declared tables, because tables that the code did not declare may belong to another program. */
    private void requireKnown(String home, Set<String> coming) throws SQLException {
        ProjectionVersion live = pair.live().version();
        if (!pair.live().code().tables().isEmpty()) {
            return;
        }
        Set<String> there = found(home, coming);
        if (!there.isEmpty()) {
            throw new IllegalStateException(
                    "the live version %d of projection '%s' has not declared its tables, and the schema '%s' has %s; nothing was changed: run code of revision %d that is a RebuildableProjection and returns them from tables(), then try again; or rename them if they belong to another program"
                            .formatted(live.version(), live.projection(), home, there, live.revision()));
        }
    }

    private void requireFree(String home, Set<String> going, String incoming, Set<String> coming) throws SQLException {
        List<String> taken = SchemaContents.taken(transaction, incoming, coming, home, going);
        if (!taken.isEmpty()) {
            throw new IllegalStateException(
                    "the schema '%s' has %s, which do not belong to the live version %d of projection '%s', but version %d has tables of the same names; nothing was changed: rename one or the other, and try again"
                            .formatted(
                                    home,
                                    taken,
                                    pair.live().version().version(),
                                    pair.projection(),
                                    pair.other().version().version()));
        }
    }

    private Set<String> found(String schema, Set<String> tables) throws SQLException {
        List<String> rows = transaction.rows(FOUND, p -> p.texts(tables).text(schema), row -> row.getString("name"));
        return new TreeSet<>(rows);
    }

    /** Creates the schema if it is missing, and grants its use to the writers of the tables. */
    private void ensure(String schema, String home, Set<String> going, String incoming, Set<String> coming)
            throws SQLException {
        ProjectionVersion live = pair.live().version();
        Optional<VersionSchemas.Found> there = VersionSchemas.find(transaction, schema, live);
        if (there.isPresent() && !there.get().own()) {
            throw new IllegalStateException(
                    "the schema '%s' already exists and does not belong to version %d of projection '%s', whose tables would move there; nothing was changed: rename or drop that schema, and try again"
                            .formatted(schema, live.version(), live.projection()));
        }
        StatementBatch trip = transaction.next();
        List<String> owners = trip.rows(OWNER, p -> p.text(home).texts(going), row -> row.getString("role"));
        List<String> writers = trip.rows(
                WRITERS, p -> p.text(home).texts(going).text(incoming).texts(coming), row -> row.getString("role"));
        trip.run();
        if (there.isEmpty()) {
            VersionSchemas.create(transaction, schema, live, owners.stream().findFirst());
        }
        for (String writer : writers) {
            VersionSchemas.execute(
                    transaction, "GRANT USAGE ON SCHEMA %s TO %s".formatted(VersionSchemas.quoted(schema), writer));
        }
    }

    /**
     * Drops the schema if it is empty; it is created again when its version leaves. If it has other objects, it stays.
     */
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
