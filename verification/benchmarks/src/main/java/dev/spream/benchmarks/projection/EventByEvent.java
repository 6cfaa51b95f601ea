package dev.spream.benchmarks.projection;

import dev.spream.projection.Projection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Balances with an upsert for each event. */
record EventByEvent(String name, String table) implements Projection<Connection> {
    @Override
    public void apply(Connection transaction, EventEnvelope event) throws SQLException {
        try (PreparedStatement upsert = transaction.prepareStatement("""
                INSERT INTO %s AS stored VALUES (?, ?, 1) ON CONFLICT (account) DO UPDATE
                SET balance = stored.balance + excluded.balance, movements = stored.movements + 1""".formatted(table))) {
            upsert.setString(1, event.aggregateId());
            upsert.setLong(2, Balances.amount(event));
            upsert.executeUpdate();
        }
    }
}
