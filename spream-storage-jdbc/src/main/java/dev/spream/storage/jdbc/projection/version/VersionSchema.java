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
 * The place of the tables of a version that is to be built, with what it takes for them to replace the live ones later.
 *
 * @param tables those of its code
 * @param home where the live ones are
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

    /** By its id: a table that was dropped and created again is another one. */
    private static final String AT_HOME = """
            SELECT c.oid, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')""";

    /**
     * Objects that the transaction dropped or moved stay locked by it until it ends; all other missing ones were
     * dropped by others.
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

    /** The schema of the live tables, or the one they would be created in. */
    private static String home(ProjectionTransaction transaction, Set<String> tables)
            throws SQLException, ProjectionTransactionGuard.Failure {
        StatementBatch trip = transaction.next();
        List<String> homes = trip.rows(HOMES, p -> p.texts(tables), row -> row.getString("home"));
        List<Optional<String>> current =
                trip.rows("SELECT current_schema()", p -> {}, row -> Optional.ofNullable(row.getString(1)));
        trip.run();
        if (homes.size() > 1) {
            throw ProjectionTransactionGuard.Failure.of(
                    "the live tables of %s are in the schemas %s: a projection whose tables are in one schema can be rebuilt"
                            .formatted(tables, homes));
        }
        if (!homes.isEmpty()) {
            return homes.getFirst();
        }
        return current.getFirst()
                .orElseThrow(() -> ProjectionTransactionGuard.Failure.of(
                        "none of the tables %s is found by the search_path, which names no schema that is there"
                                .formatted(tables)));
    }

    /**
     * Creates the schema and puts it first in the search path; returns the contents of the schema of the live tables,
     * by id.
     */
    Map<Long, String> enter(ProjectionTransaction transaction) throws SQLException, ProjectionTransactionGuard.Failure {
        if (VersionSchemas.find(transaction, own, version).isPresent()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "the schema '%s' is there already, and what is in it is not of version %d of projection '%s', which was to have it; nothing was changed: rename or drop that schema and resume '%s'"
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

    /** Requires that its tables are there, that everything they need will go with them, and that they can. */
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
                    "create() dropped %s of the schema '%s', where the live tables are; nothing was changed: it makes tables that are not there yet, and must drop none"
                            .formatted(lost, home));
        }
        if (!missing.isEmpty()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "create() made no tables %s in the schema '%s', which comes first in the search_path: it must name them without a schema"
                            .formatted(missing, own));
        }
        requireNoOthers(SchemaContents.others(transaction, own, tables));
        requireFree(
                SchemaContents.taken(transaction, own, tables, home, live.code().tables()));
    }

    private void requireNoOthers(List<String> others) throws ProjectionTransactionGuard.Failure {
        if (!others.isEmpty()) {
            throw ProjectionTransactionGuard.Failure.of(
                    "create() made %s besides the tables %s, and a cut-over moves nothing but those; nothing was changed: name all tables in tables(), partitions too, and make functions, types, views and sequences of no column beforehand, in a schema of the search_path"
                            .formatted(others, tables));
        }
    }

    private void requireFree(List<String> taken) throws ProjectionTransactionGuard.Failure {
        if (taken.isEmpty()) {
            return;
        }
        String free = live.code().tables().isEmpty()
                ? "the live version %d has not said which tables are its own: run code of revision %d that is a RebuildableProjection and names them in tables(), or rename them if they are not its own"
                        .formatted(live.version().version(), live.version().revision())
                : "the live version %d has only %s, so they are not its own: rename one or the other"
                        .formatted(
                                live.version().version(),
                                new TreeSet<>(live.code().tables()));
        throw ProjectionTransactionGuard.Failure.of(
                "version %d of projection '%s' could not be made live, since the schema '%s' has %s already; nothing was changed: %s, and resume '%s'"
                        .formatted(version.version(), version.projection(), home, taken, free, version.stateName()));
    }
}
