package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionException;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.projection.internal.Fences;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code search_path} of a version that is not live: its statements find the version's own tables first. A write to
 * the live tables is rejected: if a table is missing from the version's schema, the {@code search_path} finds the live
 * one, where events would be counted twice. The live version needs no further query. Confined to a transaction.
 */
final class VersionSearchPath {
    /** Sets the search path of a version. Returns no row for the live version. */
    private static final String ENTER = """
            SELECT (SELECT s.position FROM @projection_versions l JOIN @projection_segments s ON s.projection = l.state
                    WHERE l.projection = v.projection AND l.role = 'LIVE' AND s.segment = ?) AS reached,
                set_config('search_path',
                    concat_ws(', ', quote_ident(v.own_schema), nullif(current_setting('search_path'), '')), true)
            FROM @projection_versions v WHERE v.state = ? AND v.role <> 'LIVE'""";

    /** Finds missing tables in the catalogs, which needs no privileges. */
    private static final String LOST = """
            SELECT v.own_schema, current_user AS writer, n.oid IS NULL OR has_schema_privilege(n.oid, 'USAGE') AS usable,
                ARRAY(SELECT t.name FROM unnest(v.tables) AS t (name) WHERE NOT EXISTS (
                    SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = t.name) ORDER BY 1) AS missing
            FROM @projection_versions v LEFT JOIN pg_namespace n ON n.nspname = v.own_schema
            WHERE v.state = ? AND v.own_schema IS NOT NULL AND cardinality(v.tables) > 0""";

    /**
     * Counts the rows that this session has written in the schema of the live tables, by table. The server's counters
     * sometimes include earlier transactions, so only differences are meaningful.
     *
     * @see <a href="https://www.postgresql.org/docs/current/monitoring-stats.html">PostgreSQL: the statistics views</a>
     */
    private static final String WRITTEN = """
            SELECT c.relname, w.rows FROM @projection_versions v
            JOIN pg_namespace n ON n.nspname = v.home JOIN pg_class c ON c.relnamespace = n.oid
            CROSS JOIN LATERAL (SELECT pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid)
                + pg_stat_get_xact_tuples_deleted(c.oid) AS rows) AS w
            WHERE v.state = ? AND v.role <> 'LIVE' AND v.own_schema IS NOT NULL AND cardinality(v.tables) > 0
                AND c.relkind = 'r' AND w.rows > 0 AND NOT (v.home = ? AND starts_with(c.relname, 'projection_'))""";

    private final Fence fence;
    private final SchemaName schema;
    private final List<Long> limit;
    private List<Written> before = List.of();
    private List<Written> after = before;

    private VersionSearchPath(StatementBatch trip, SchemaName schema, Fence fence) {
        this.fence = fence;
        this.schema = schema;
        this.limit = trip.rows(
                ENTER, p -> p.number(Fences.segment(fence)).text(fence.projection()), row -> row.getLong("reached"));
    }

    private record Found(String schema, String writer, boolean usable, List<String> missing) {
        static Found read(ResultSet row) throws SQLException {
            return new Found(
                    row.getString("own_schema"),
                    row.getString("writer"),
                    row.getBoolean("usable"),
                    Parameters.texts(row, "missing"));
        }
    }

    private record Written(String table, long rows) {}

    /** Adds a statement after which statements of a projection find the tables of the version that is written. */
    static VersionSearchPath enter(StatementBatch trip, SchemaName schema, Fence fence) {
        return new VersionSearchPath(trip, schema, fence);
    }

    /** Returns the position that the version must not exceed; empty if it is live. */
    Optional<Long> limit() {
        return limit.stream().findFirst();
    }

    /**
     * Requires that statements find the version's own tables, and reads the counters of writes. This is one more round
     * trip for a version that is not live.
     *
     * @throws StorageException non-retryable, if a table is missing, or the schema is not permitted
     */
    void begin(ProjectionTransaction transaction) throws SQLException {
        if (limit.isEmpty()) {
            return;
        }
        StatementBatch trip = transaction.next();
        List<Found> found = trip.rows(LOST, p -> p.text(fence.projection()), Found::read);
        before = written(trip);
        trip.run();
        found.forEach(this::requireReachable);
    }

    private void requireReachable(Found version) {
        if (!version.usable()) {
            throw failure(
                    "the tables of '%s' are in the schema '%s', which user '%s' may not use, so it would have written the live tables; nothing was written: grant USAGE on that schema and resume the version, or drop it"
                            .formatted(fence.projection(), version.schema(), version.writer()));
        }
        if (!version.missing().isEmpty()) {
            throw failure(
                    "the tables %s of '%s' are missing from its schema '%s', so it would have written the live tables; nothing was written: restore them and resume the version, or drop it"
                            .formatted(version.missing(), fence.projection(), version.schema()));
        }
    }

    /** Adds the query of the version's writes to the schema of the live tables. */
    void watch(StatementBatch trip) {
        if (!limit.isEmpty()) {
            after = written(trip);
        }
    }

    /** Rejects the transaction, non-retryable, if it has written tables in that schema. */
    void requireApart() {
        Map<String, Long> rows = new HashMap<>();
        before.forEach(table -> rows.put(table.table(), table.rows()));
        List<String> others = after.stream()
                .filter(table -> table.rows() > rows.getOrDefault(table.table(), 0L))
                .map(Written::table)
                .sorted()
                .toList();
        if (!others.isEmpty()) {
            throw failure(
                    "'%s' is not live, but wrote tables %s in the schema of the live ones, which would count events twice; nothing was written. If a trigger of its own tables wrote them, disable that trigger (ALTER TABLE … DISABLE TRIGGER; a cutover enables it) and resume the version. Otherwise return all written tables from tables(), use no schema in statements, and write tables that all versions share by a SideEffectingProjection; then drop the version and begin another"
                            .formatted(fence.projection(), others));
        }
    }

    private List<Written> written(StatementBatch trip) {
        return trip.rows(
                WRITTEN,
                p -> p.text(fence.projection()).text(schema.value()),
                row -> new Written(row.getString("relname"), row.getLong("rows")));
    }

    /** Returns an exception of the store, which is non-retryable for every caller. */
    private static StorageException failure(String message) {
        return new StorageException(message, false, new ProjectionException(FailureKind.FATAL, message, null));
    }
}
