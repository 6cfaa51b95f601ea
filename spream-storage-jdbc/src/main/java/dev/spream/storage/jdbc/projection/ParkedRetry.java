package dev.spream.storage.jdbc.projection;

import dev.spream.projection.AggregateState;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionStore.RetryWork;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.Fences;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Retries parked aggregates, and deletes their processed events. */
record ParkedRetry(ProjectionDatabase database) {
    private static final String LOCK = """
            SELECT last_version FROM @projection_keys WHERE projection = ? AND key = ? AND parked
            FOR NO KEY UPDATE SKIP LOCKED""";

    /**
     * Selects the waiting events, without those that were applied before they were delivered again, and limited to the
     * available memory except for the first. The server knows the size of a text without reading it.
     */
    static final String EVENTS = """
            SELECT %1$s FROM (
                SELECT %1$s, sum(octet_length(e.event_data)) OVER (
                    ORDER BY e.event_version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
                FROM @projection_parked_events e
                WHERE e.projection = ? AND e.key = ? AND e.event_version > (
                    SELECT k.last_version FROM @projection_keys k WHERE k.projection = ? AND k.key = ?)
                ORDER BY e.event_version LIMIT ?) AS next
            WHERE bytes_before IS NULL OR bytes_before < %2$d ORDER BY event_version""".formatted(EventColumns.NAMES, 8 << 20);

    /** Deletes the processed events. The next event is due at once, with no attempts yet. */
    private static final String FORGET = """
            WITH gone AS (
                DELETE FROM @projection_parked_events WHERE projection = ? AND key = ? AND event_version <= ? RETURNING true
            )
            UPDATE @projection_parked_keys SET events = events - (SELECT count(*) FROM gone), attempts = 0,
                next_try = least(next_try, clock_timestamp())
            WHERE projection = ? AND key = ? AND EXISTS (SELECT FROM gone)""";

    static final String UNPARK = """
            DELETE FROM @projection_parked_keys p WHERE p.projection = ? AND p.key = ?
                AND NOT EXISTS (SELECT FROM @projection_parked_events e WHERE e.projection = p.projection AND e.key = p.key)""";

    private static final String SETTLE = """
            UPDATE @projection_keys k SET last_version = greatest(k.last_version, ?),
                parked = EXISTS (SELECT FROM @projection_parked_keys p WHERE p.projection = k.projection AND p.key = k.key)
            WHERE k.projection = ? AND k.key = ?
            RETURNING k.key, k.last_version, k.parked""";

    Optional<AggregateState> retry(Fence fence, String id, int limit, RetryWork<Connection> work) throws Exception {
        String what = "retrying a parked aggregate of projection '%s'".formatted(fence.projection());
        return database.inHandedTransaction(what, transaction -> retry(transaction, fence, id, limit, work));
    }

    private Optional<AggregateState> retry(
            ProjectionTransaction transaction, Fence fence, String id, int limit, RetryWork<Connection> work)
            throws SQLException, ProjectionTransactionGuard.Failure {
        String projection = fence.projection();
        String key = StoredKeys.of(id);
        StatementBatch trip = transaction.first();
        List<Boolean> held = Fences.ask(trip, database.schema(), fence);
        VersionSearchPath own = VersionSearchPath.enter(trip, database.schema(), fence);
        List<Long> locked = trip.rows(LOCK, p -> p.text(projection).text(key), row -> row.getLong("last_version"));
        List<EventEnvelope> events = trip.rows(
                EVENTS,
                p -> p.text(projection).text(key).text(projection).text(key).number(limit),
                row -> EventColumns.read(id, row));
        trip.run();
        if (held.isEmpty() || locked.isEmpty()) {
            transaction.rollback();
            return Optional.empty();
        }
        own.begin(transaction);
        long last = locked.getFirst();
        long now = events.isEmpty()
                ? last
                : ProjectionTransactionGuard.run(transaction, connection -> work.apply(connection, last, events));
        StatementBatch written = transaction.next();
        own.watch(written);
        ProjectionTransactionGuard.leave(written);
        own.requireApart();
        check(id, last, events, now);
        return Optional.of(forget(transaction, projection, key, now));
    }

    /** Rejects a result that would lose events. */
    private static void check(String id, long last, List<EventEnvelope> events, long version) {
        if (version < last
                || version > (events.isEmpty() ? last : events.getLast().eventVersion())) {
            throw new IllegalArgumentException(
                    "the retry of aggregate '%s' returned version %d, which is neither %d nor that of a waiting event; nothing was changed"
                            .formatted(id, version, last));
        }
    }

    /** Stores the version of a parked key, and deletes its events up to there. */
    static AggregateState forget(ProjectionTransaction transaction, String projection, String key, long version)
            throws SQLException {
        StatementBatch trip = transaction.next();
        trip.update(
                FORGET,
                p -> p.text(projection)
                        .text(key)
                        .number(version)
                        .text(projection)
                        .text(key));
        trip.update(UNPARK, p -> p.text(projection).text(key));
        List<KeyTable.Row> settled =
                trip.rows(SETTLE, p -> p.number(version).text(projection).text(key), KeyTable.Row::read);
        trip.run();
        return settled.getFirst().state();
    }
}
