package dev.spream.storage.jdbc.event;

import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A read model with the versions of each aggregate in the order in which they were applied. */
final class Histories implements RebuildableProjection<Connection> {
    private static final String CREATE = "CREATE TABLE histories (aggregate text PRIMARY KEY, versions text NOT NULL)";

    final ConcurrentLinkedQueue<EventEnvelope> applied = new ConcurrentLinkedQueue<>();
    private volatile Hook hook = (transaction, event) -> {};

    /** Runs after an event was applied. */
    interface Hook {
        void after(Connection transaction, EventEnvelope event) throws Exception;
    }

    static TestDatabase database() {
        return TestDatabase.with("events and histories", empty -> {
            JdbcEventStore.create(empty.dataSource());
            empty.execute(CREATE);
        });
    }

    Histories then(Hook next) {
        hook = next;
        return this;
    }

    @Override
    public String name() {
        return "histories";
    }

    @Override
    public Set<String> tables() {
        return Set.of("histories");
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(CREATE);
        }
    }

    @Override
    public void apply(Connection transaction, EventEnvelope event) throws Exception {
        applied.add(event);
        try (PreparedStatement add = transaction.prepareStatement("""
                INSERT INTO histories AS h VALUES (?, ?)
                ON CONFLICT (aggregate) DO UPDATE SET versions = h.versions || ' ' || excluded.versions""")) {
            add.setString(1, event.aggregateId());
            add.setString(2, Long.toString(event.eventVersion()));
            add.executeUpdate();
        }
        hook.after(transaction, event);
    }

    static List<String> rows(TestDatabase database) throws SQLException {
        return TestEvents.rows(database.dataSource(), "SELECT * FROM histories ORDER BY aggregate");
    }
}
