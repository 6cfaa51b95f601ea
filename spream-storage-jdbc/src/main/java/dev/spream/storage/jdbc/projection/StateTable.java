package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** The table of the states of projections, which summarise their segments and keys. */
final class StateTable {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,99}");

    static final String COLUMNS = """
            p.projection_name, p.status, p.epoch, p.segments, p.event_store_position, p.last_processed_event_id,
            p.last_processed_timestamp, p.error_count, p.last_error, p.last_error_at, p.updated_at""";

    /** Adds version 1. If it was dropped, it is not created again. */
    private static final String ADD_VERSION = """
            INSERT INTO @projection_versions
                (projection, version, state, revision, role, prepared, created_at, measured_at, latest)
            SELECT a.projection, 1, a.projection, ?, 'LIVE', true, clock_timestamp(), clock_timestamp(), 1
            FROM (SELECT ?::text AS projection) AS a
            WHERE NOT EXISTS (SELECT FROM @projection_versions v WHERE v.projection = a.projection)
            ON CONFLICT DO NOTHING""";

    private static final String KNOW_CODE = """
            UPDATE @projection_versions v SET tables = a.tables, effects = a.effects
            FROM (SELECT ?::text[] AS tables, ?::boolean AS effects) AS a
            WHERE v.projection = ? AND v.role = 'LIVE' AND v.revision = ?
                AND (v.tables IS DISTINCT FROM a.tables OR v.effects <> a.effects)""";

    private static final String ADD = """
            INSERT INTO @projection_states (projection_name, status, segments, updated_at)
            SELECT v.state, 'RUNNING', ?, clock_timestamp()
            FROM @projection_versions v WHERE v.projection = ? AND v.version = 1
            ON CONFLICT DO NOTHING""";

    /** Adds all segments or none: some are missing while the projection is being split. */
    static final String ADD_SEGMENTS = """
            INSERT INTO @projection_segments (projection, segment)
            SELECT p.projection_name, s.segment
            FROM @projection_states p, generate_series(0, p.segments - 1) AS s (segment)
            WHERE p.projection_name = ?
                AND NOT EXISTS (SELECT FROM @projection_segments o WHERE o.projection = p.projection_name)
            ON CONFLICT DO NOTHING""";

    private static final String LIVE = """
            SELECT %s FROM @projection_versions v JOIN @projection_states p ON p.projection_name = v.state
            WHERE v.projection = ? AND v.role = 'LIVE'""".formatted(COLUMNS);

    private static final String READ =
            "SELECT %s FROM @projection_states p WHERE p.projection_name = ?".formatted(COLUMNS);

    /**
     * Writes a report. Without segments the last event is the last one that this process has applied; batches do not
     * wait for its write. The reason of a failure is kept.
     */
    private static final String REPORT = """
            WITH far AS (
                SELECT min(s.position) AS position FROM @projection_segments s WHERE s.projection = ?
            ), latest AS (
                SELECT l.* FROM (
                    SELECT ?::text AS id, ?::timestamptz AS at
                    UNION ALL SELECT s.last_event_id, s.last_event_at FROM @projection_segments s WHERE s.projection = ?) AS l
                WHERE l.id IS NOT NULL ORDER BY l.at DESC LIMIT 1
            )
            UPDATE @projection_states p SET
                event_store_position = coalesce((SELECT position FROM far), p.event_store_position),
                last_processed_event_id = coalesce((SELECT id FROM latest), p.last_processed_event_id),
                last_processed_timestamp = coalesce((SELECT at FROM latest), p.last_processed_timestamp),
                error_count = p.error_count + ?,
                last_error = CASE WHEN p.status = 'FAILED' THEN p.last_error ELSE coalesce(?, p.last_error) END,
                last_error_at = CASE WHEN p.status = 'FAILED' OR ?::text IS NULL THEN p.last_error_at ELSE clock_timestamp() END,
                updated_at = clock_timestamp()
            WHERE p.projection_name = ?""";

    private final ProjectionDatabase database;

    /** The last event of each projection without segments that was committed here and not reported yet. */
    private final Map<String, EventEnvelope> seen = new ConcurrentHashMap<>();

    StateTable(ProjectionDatabase database) {
        this.database = database;
    }

    ProjectionState register(String projection, int segments, ProjectionCode code) {
        check(projection, segments);
        ProjectionState state =
                database.inTransaction("registering projection '%s'".formatted(projection), transaction -> {
                    StatementBatch trip = transaction.first();
                    trip.update(ADD_VERSION, p -> p.number(code.revision()).text(projection));
                    trip.update(
                            KNOW_CODE,
                            p -> p.texts(new TreeSet<>(code.tables()))
                                    .text(Boolean.toString(code.effects()))
                                    .text(projection)
                                    .number(code.revision()));
                    trip.update(ADD, p -> p.number(segments).text(projection));
                    trip.update(ADD_SEGMENTS, p -> p.text(projection));
                    List<ProjectionState> rows = trip.rows(LIVE, p -> p.text(projection), StateTable::read);
                    trip.run();
                    return rows.getFirst();
                });
        return state.requireSegments(segments);
    }

    private static void check(String projection, int segments) {
        if (!NAME.matcher(projection).matches()) {
            throw new IllegalArgumentException(
                    "the name of a projection is '%s', must be 1 to 100 letters, digits, hyphens and underscores, a letter first"
                            .formatted(projection));
        }
        ProjectionState.requireNumber(segments);
    }

    Optional<ProjectionState> find(String projection) {
        return database.find(
                "reading projection '%s'".formatted(projection), READ, p -> p.text(projection), StateTable::read);
    }

    List<ProjectionState> list() {
        return database.rows(
                "listing projections",
                "SELECT %s FROM @projection_states p ORDER BY p.projection_name".formatted(COLUMNS),
                p -> {},
                StateTable::read);
    }

    /** Records a processed event of a projection without segments. */
    void recordProcessed(String projection, EventEnvelope event) {
        seen.put(projection, event);
    }

    void report(String projection, long errors, Optional<String> lastError) {
        Optional<EventEnvelope> last = Optional.ofNullable(seen.get(projection));
        Optional<String> error = lastError.map(Parameters::storable);
        String what = "reporting the state of projection '%s'".formatted(projection);
        int reported = database.update(
                what,
                REPORT,
                p -> p.text(projection)
                        .optionalText(last.map(EventEnvelope::eventId))
                        .optionalText(last.map(
                                event -> EventColumns.clock(event.occurredAt()).toString()))
                        .text(projection)
                        .number(errors)
                        .optionalText(error)
                        .optionalText(error)
                        .text(projection));
        if (reported == 0) {
            throw ProjectionDatabase.unknown(what, projection);
        }
        last.ifPresent(event -> seen.remove(projection, event));
    }

    static ProjectionState read(ResultSet row) throws SQLException {
        return new ProjectionState(
                row.getString("projection_name"),
                ProjectionStatus.valueOf(row.getString("status")),
                row.getLong("epoch"),
                row.getInt("segments"),
                row.getLong("event_store_position"),
                Optional.ofNullable(row.getString("last_processed_event_id")),
                JdbcTimestamps.optionalClock(row, "last_processed_timestamp"),
                row.getLong("error_count"),
                Optional.ofNullable(row.getString("last_error")),
                JdbcTimestamps.optionalClock(row, "last_error_at"),
                JdbcTimestamps.clock(row, "updated_at"));
    }
}
