package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionVersion;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The schema of the tables of a candidate version, with the checks that they can replace the live tables later.
 *
 * @param tables the tables of its code
 * @param home the schema of the live tables
 * @param own the schema of the version
 */
record VersionSchema(ProjectionVersion version, VersionTable.Stored live, Set<String> tables, String home, String own) {
    private static final String HOMES = """
            SELECT DISTINCT n.nspname AS home FROM unnest(?::text[]) AS t (name)
            JOIN pg_class c ON c.oid = to_regclass(quote_ident(t.name)) JOIN pg_namespace n ON n.oid = c.relnamespace
            ORDER BY 1""";

    private static final String ENTER = """
            SELECT set_config('search_path',
                concat_ws(', ', quote_ident(?), nullif(current_setting('search_path'), '')), true)""";

    private static final String MISSING = """
            SELECT t.name FROM unnest(?::text[]) AS t (name)
            WHERE to_regclass(quote_ident(?) || '.' || quote_ident(t.name)) IS NULL ORDER BY 1""";

    /** Selects objects by their id, since a table that was dropped and created again is another one. */
    private static final String AT_HOME = """
            SELECT c.oid, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')""";

    /**
     * Selects objects that the transaction dropped or moved, which it keeps locked until it ends; all other missing
     * objects were dropped by other sessions.
     */
    private static final String TAKEN_AWAY = """
            SELECT l.relation AS oid FROM pg_locks l
            WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.granted
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    static VersionSchema find(ProjectionTransaction transaction, ProjectionVersion version, Set<String> tables)
            throws SQLException, ProjectionTransactionGuard.Failure {
        List<VersionTable.Stored> versions = transaction.rows(
                VersionTable.OF_PROJECTION, p -> p.text(version.projection()), VersionTable.Stored::read);
        VersionTable.Stored live = LiveAndCandidate.live(versions);
        Set<String> known = live.code().tables();
        String home = home(transaction, known.isEmpty() ? tables : known);
        return new VersionSchema(
                version, live, tables, home, VersionSchemas.name(home, version.projection(), version.version()));
    }

    /** Returns the schema of the live tables, or the one where they would be created. */
    private static String home(ProjectionTransaction transaction, Set<String> tables)
            throws SQLException, ProjectionTransactionGuard.Failure {
        StatementBatch trip = transaction.next();
        List<String> homes = trip.rows(HOMES, p -> p.texts(tables), row -> row.getString("home"));
        List<Optional<String>> current =
                trip.rows("SELECT current_schema()", p -> {}, row -> Optional.ofNullable(row.getString(1)));
        trip.run();
        if (homes.size() > 1) {
            throw ProjectionTransactionGuard.Failure.of(
                    "the live tables of %s are in the schemas %s: only a projection whose tables are in one schema can be rebuilt"
                            .formatted(tables, homes));
        }
        if (!homes.isEmpty()) {
            return homes.getFirst();
        }
        return current.getFirst()
                .orElseThrow(() -> ProjectionTransactionGuard.Failure.of(
                        "none of the tables %s is found by the search_path, and it has no existing schema"
                                .formatted(tables)));
    }

    /**
     * Creates the schema and puts it first in the search path; returns the contents of the schema of the live tables,
     * by id.
     */
    Map<Long, String> enter(ProjectionTransaction transaction) throws SQLException, ProjectionTransactionGuard.Failure {
        if (VersionSchemas.find(transaction, own, version).isPresent()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "the schema '%s' already exists and does not belong to version %d of projection '%s', which needs a schema of that name; nothing was changed: rename or drop that schema and resume '%s'"
                            .formatted(own, version.version(), version.projection(), version.stateName()));
        }
        VersionSchemas.create(transaction, own, version);
        StatementBatch trip = transaction.next();
        List<Map.Entry<Long, String>> before = atHome(trip);
        trip.update(ENTER, p -> p.text(own)).run();
        return before.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private List<Map.Entry<Long, String>> atHome(StatementBatch trip) {
        return trip.rows(AT_HOME, p -> p.text(home), row -> Map.entry(row.getLong("oid"), row.getString("name")));
    }

    /** Requires that the tables exist, that all objects that they need move with them, and that they can move. */
    void requireCreated(ProjectionTransaction transaction, Map<Long, String> before)
            throws SQLException, ProjectionTransactionGuard.Failure {
        StatementBatch trip = transaction.next();
        List<String> missing = trip.rows(MISSING, p -> p.texts(tables).text(own), row -> row.getString("name"));
        List<Map.Entry<Long, String>> after = atHome(trip);
        List<Long> takenAway = trip.rows(TAKEN_AWAY, p -> {}, row -> row.getLong("oid"));
        trip.run();
        Map<Long, String> gone = new HashMap<>(before);
        after.forEach(there -> gone.remove(there.getKey()));
        gone.keySet().retainAll(takenAway);
        Set<String> lost = new TreeSet<>(gone.values());
        if (!lost.isEmpty()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "create() dropped %s of the schema '%s', where the live tables are; nothing was changed: create() must create missing tables only, and must not drop any"
                            .formatted(lost, home));
        }
        if (!missing.isEmpty()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "create() did not create the tables %s in the schema '%s', which is first in the search_path: use their names without a schema"
                            .formatted(missing, own));
        }
        requireNoOthers(SchemaContents.others(transaction, own, tables));
        requireFree(
                SchemaContents.taken(transaction, own, tables, home, live.code().tables()));
    }

    private void requireNoOthers(List<String> others) throws ProjectionTransactionGuard.Failure {
        if (!others.isEmpty()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "create() created %s in addition to the tables %s, but a cutover moves only tables; nothing was changed: return all tables from tables(), including partitions, and create functions, types, views and standalone sequences beforehand, in a schema of the search_path"
                            .formatted(others, tables));
        }
    }

    private void requireFree(List<String> taken) throws ProjectionTransactionGuard.Failure {
        if (taken.isEmpty()) {
            return;
        }
        String free = live.code().tables().isEmpty()
                ? "the live version %d has not declared its tables: run code of revision %d that is a RebuildableProjection and returns them from tables(), or rename them if they belong to another program"
                        .formatted(live.version().version(), live.version().revision())
                : "the live version %d has declared only %s, so they do not belong to it: rename one or the other"
                        .formatted(
                                live.version().version(),
                                new TreeSet<>(live.code().tables()));
        throw ProjectionTransactionGuard.Failure.of(
                "version %d of projection '%s' could not be made live, since the schema '%s' has %s already; nothing was changed: %s, and resume '%s'"
                        .formatted(version.version(), version.projection(), home, taken, free, version.stateName()));
    }
}
