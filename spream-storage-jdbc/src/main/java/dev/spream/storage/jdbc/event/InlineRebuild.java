package dev.spream.storage.jdbc.event;

import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;

/**
 * Builds the read model of an inline projection again, in a transaction in which nothing is appended: it holds the lock
 * of appends with inline projections, and then the barrier, exclusively.
 */
record InlineRebuild(Statements transaction) {
    private static final int PAGE = 1_000;
    private static final int MAX_NAME = 63;

    private static final String LOCK = "SELECT true FROM pg_advisory_xact_lock(?::int, '@events'::regclass::oid::int)";

    private static final String AFTER =
            "SELECT %s FROM @events WHERE position > ? ORDER BY position LIMIT ?".formatted(StoredEvent.COLUMNS);

    /** Returns the number of events that it read. */
    long run(RebuildableProjection<? super Connection> projection) throws SQLException {
        for (int lock : new int[] {EventTable.INLINE, EventTable.BARRIER}) {
            transaction.rows(LOCK, p -> p.number(lock), row -> true);
        }
        for (String table : new TreeSet<>(projection.tables())) {
            Statements.execute(
                    transaction.connection(),
                    "DELETE FROM \"%s\"".formatted(SchemaName.requireIdentifier("table", table, MAX_NAME)));
        }
        long read = 0;
        long position = 0;
        while (true) {
            long after = position;
            List<RecordedEvent> page = transaction.rows(
                    AFTER,
                    p -> p.number(after).number(PAGE),
                    row -> StoredEvent.read(row).recorded());
            if (page.isEmpty()) {
                return read;
            }
            List<EventEnvelope> events = page.stream().map(RecordedEvent::event).toList();
            InlineProjections.apply(projection, transaction.connection(), events);
            read += page.size();
            position = page.getLast().position();
        }
    }
}
