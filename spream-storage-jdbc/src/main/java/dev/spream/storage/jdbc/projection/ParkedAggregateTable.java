package dev.spream.storage.jdbc.projection;

import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.Fences;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The tables of parked aggregates and of their waiting events. A writer of a row holds the row lock of the aggregate's
 * key.
 */
record ParkedAggregateTable(ProjectionDatabase database) {
    private static final long NEVER = -1;

    private static final String PARK = """
            INSERT INTO @projection_parked_keys AS p
                (projection, key, aggregate_id, segment, reason, attempts, error, since, next_try, events)
            SELECT ?, a.key, a.aggregate_id, ?, a.reason, a.attempts, a.error, clock_timestamp(),
                clock_timestamp() + nullif(a.delay, -1) * interval '1 microsecond', 0
            FROM unnest(?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::bigint[])
                AS a (key, aggregate_id, reason, attempts, error, delay)
            ON CONFLICT (projection, key) DO UPDATE SET segment = excluded.segment, reason = excluded.reason,
                attempts = excluded.attempts, error = excluded.error, next_try = excluded.next_try""";

    private static final String SET_ASIDE = """
            WITH added AS (
                INSERT INTO @projection_parked_events (projection, key, %1$s)
                SELECT ?, a.* FROM unnest(?::text[], %2$s) AS a
                ON CONFLICT DO NOTHING
                RETURNING key
            ), counted AS (SELECT key, count(*) AS events FROM added GROUP BY key)
            UPDATE @projection_parked_keys p SET events = p.events + counted.events
            FROM counted CROSS JOIN LATERAL (
                SELECT q.ctid AS place FROM @projection_parked_keys q
                WHERE q.projection = ? AND q.key = counted.key LIMIT 1) AS found
            WHERE p.ctid = found.place""".formatted(EventColumns.NAMES, EventColumns.ARRAYS);

    /**
     * Makes parked aggregates due whose missing event has arrived. Each key is looked up separately, while its row is
     * locked: without statistics the planner would prefer to read all parked events.
     */
    static final String WAKE = """
            UPDATE @projection_parked_keys p SET next_try = clock_timestamp()
            FROM (SELECT DISTINCT key FROM unnest(?::text[]) AS a (key)) AS asked
            CROSS JOIN LATERAL (
                SELECT q.ctid AS place FROM @projection_parked_keys q
                WHERE q.projection = ? AND q.key = asked.key AND q.reason = 'GAP'
                    AND (q.next_try IS NULL OR q.next_try > clock_timestamp())
                    AND EXISTS (SELECT FROM @projection_parked_events e
                        WHERE e.projection = q.projection AND e.key = q.key AND e.event_version = (
                            SELECT k.last_version + 1 FROM @projection_keys k
                            WHERE k.projection = q.projection AND k.key = q.key))
                LIMIT 1) AS found
            WHERE p.ctid = found.place""";

    static final String COLUMNS = """
            p.aggregate_id, p.reason, p.attempts, p.error, p.since, p.events, p.followed,
            extract(epoch FROM p.next_try - clock_timestamp()) AS next_try_in,
            (SELECT k.last_version FROM @projection_keys k WHERE k.projection = p.projection AND k.key = p.key)
                AS last_version,
            (SELECT min(e.event_version) FROM @projection_parked_events e
                WHERE e.projection = p.projection AND e.key = p.key) AS first_version""";

    /**
     * Selects the aggregates that are due. The server's time is in a subquery, which makes it a constant and permits
     * the use of an index; a volatile function prevents that.
     */
    static final String DUE = """
            SELECT %s FROM @projection_parked_keys p
            WHERE p.projection = ? AND p.segment = ? AND p.next_try <= (SELECT clock_timestamp())
            ORDER BY p.next_try LIMIT ?""".formatted(COLUMNS);

    /** Looks up each segment separately, because other segments may have many aggregates that are not due. */
    static final String DUE_SEGMENTS = """
            SELECT s.segment FROM @projection_segments s
            CROSS JOIN LATERAL (
                SELECT true FROM @projection_parked_keys p
                WHERE p.projection = s.projection AND p.segment = s.segment
                    AND p.next_try <= (SELECT clock_timestamp()) LIMIT 1) AS found
            WHERE s.projection = ?""";

    static final String LIST = """
            SELECT %s FROM @projection_parked_keys p WHERE p.projection = ? ORDER BY p.since LIMIT ?""".formatted(COLUMNS);

    private static final String SUMMARY = """
            SELECT count(*) AS aggregates, coalesce(sum(p.events), 0) AS events,
                count(*) FILTER (WHERE p.reason = 'POISON') AS waiting,
                (SELECT q.error FROM @projection_parked_keys q
                    WHERE q.projection = ? AND q.reason = 'POISON' ORDER BY q.since LIMIT 1) AS first_error,
                extract(epoch FROM clock_timestamp() - min(p.since)) AS longest
            FROM @projection_parked_keys p WHERE p.projection = ?""";

    static final String ONE =
            "SELECT %s FROM @projection_parked_keys p WHERE p.projection = ? AND p.key = ?".formatted(COLUMNS);

    /** Postpones an aggregate. Its first event is the one after the last version, as for {@link ParkedRetry#EVENTS}. */
    private static final String POSTPONE = """
            UPDATE @projection_parked_keys p SET reason = ?, attempts = ?, error = ?,
                next_try = clock_timestamp() + nullif(?, -1) * interval '1 microsecond'
            WHERE p.projection = ? AND p.key = ? AND p.attempts = ? AND ? = (
                SELECT min(e.event_version) FROM @projection_parked_events e
                WHERE e.projection = p.projection AND e.key = p.key AND e.event_version > (
                    SELECT k.last_version FROM @projection_keys k WHERE k.projection = p.projection AND k.key = p.key))
            RETURNING true""";

    /** Adds statements that park aggregates, by their ids. */
    static void park(StatementBatch trip, Fence fence, Map<String, ParkDecision> parked) {
        if (parked.isEmpty()) {
            return;
        }
        List<String> ids = List.copyOf(new TreeMap<>(parked).keySet());
        List<ParkDecision> parkings = List.copyOf(new TreeMap<>(parked).values());
        trip.update(
                PARK,
                p -> p.text(fence.projection())
                        .number(Fences.segment(fence))
                        .texts(StoredKeys.of(ids))
                        .texts(ids)
                        .texts(parkings, parking -> parking.reason().name())
                        .integers(parkings, ParkDecision::attempts)
                        .texts(parkings, parking -> Parameters.storable(parking.error()))
                        .numbers(parkings, ParkedAggregateTable::delay));
    }

    private static long delay(ParkDecision parking) {
        return parking.nextTry().map(JdbcTimestamps::micros).orElse(NEVER);
    }

    /** Adds statements that insert waiting events, after their aggregates were parked. */
    static void park(StatementBatch trip, String projection, List<EventEnvelope> events) {
        if (events.isEmpty()) {
            return;
        }
        List<String> keys = events.stream()
                .map(EventEnvelope::aggregateId)
                .map(StoredKeys::of)
                .toList();
        trip.update(SET_ASIDE, p -> {
            p.text(projection).texts(keys);
            EventColumns.bind(p, events);
            p.text(projection);
        });
        wake(trip, projection, keys);
    }

    private static void wake(StatementBatch trip, String projection, List<String> keys) {
        trip.update(WAKE, p -> p.texts(keys).text(projection));
    }

    List<ParkedAggregate> due(Fence fence, int limit) {
        return database.rows(
                "looking for parked aggregates of projection '%s'".formatted(fence.projection()),
                DUE,
                p -> p.text(fence.projection()).number(Fences.segment(fence)).number(limit),
                ParkedAggregateTable::read);
    }

    Set<Integer> dueSegments(String projection) {
        return Set.copyOf(database.rows(
                "looking for segments of projection '%s' with parked aggregates".formatted(projection),
                DUE_SEGMENTS,
                p -> p.text(projection),
                row -> row.getInt("segment")));
    }

    ParkedSummary summary(String projection) {
        return database.row(
                "counting parked aggregates of projection '%s'".formatted(projection),
                SUMMARY,
                p -> p.text(projection).text(projection),
                row -> new ParkedSummary(
                        row.getLong("aggregates"),
                        row.getLong("events"),
                        row.getLong("waiting"),
                        Optional.ofNullable(row.getString("first_error")),
                        Optional.ofNullable(row.getBigDecimal("longest")).map(JdbcTimestamps::duration)));
    }

    /** Returns the aggregates that were parked first. */
    List<ParkedAggregate> list(String projection, int limit) {
        return database.rows(
                "listing parked aggregates of projection '%s'".formatted(projection),
                LIST,
                p -> p.text(projection).number(limit),
                ParkedAggregateTable::read);
    }

    static ParkedAggregate read(ResultSet row) throws SQLException {
        return new ParkedAggregate(
                row.getString("aggregate_id"),
                ParkReason.valueOf(row.getString("reason")),
                row.getLong("last_version"),
                row.getLong("first_version"),
                row.getLong("events"),
                row.getInt("attempts"),
                row.getString("error"),
                JdbcTimestamps.clock(row, "since"),
                Optional.ofNullable(row.getBigDecimal("next_try_in"))
                        .map(left -> left.signum() < 0 ? Duration.ZERO : JdbcTimestamps.duration(left)),
                row.getLong("followed"));
    }

    boolean postpone(Fence fence, String id, RetryGuard tried, ParkDecision parking) {
        String projection = fence.projection();
        List<String> key = List.of(StoredKeys.of(id));
        return database.inTransaction(
                "postponing an aggregate of projection '%s'".formatted(projection), transaction -> {
                    StatementBatch first = transaction.first();
                    List<Boolean> held = Fences.ask(first, database.schema(), fence);
                    KeyTable.lock(first, projection, key);
                    first.run();
                    if (held.isEmpty()) {
                        return false;
                    }
                    StatementBatch trip = transaction.next();
                    List<Boolean> postponed = trip.rows(
                            POSTPONE,
                            p -> p.text(parking.reason().name())
                                    .number(parking.attempts())
                                    .text(Parameters.storable(parking.error()))
                                    .number(delay(parking))
                                    .text(projection)
                                    .text(key.getFirst())
                                    .number(tried.attempts())
                                    .number(tried.firstVersion()),
                            row -> row.getBoolean(1));
                    wake(trip, projection, key);
                    trip.run();
                    return !postponed.isEmpty();
                });
    }
}
