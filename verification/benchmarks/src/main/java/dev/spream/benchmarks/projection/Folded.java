package dev.spream.benchmarks.projection;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Balances with an upsert for each batch. */
record Folded(String name, String table) implements FoldableProjection<Connection, Folded.Change> {
    record Change(long amount, long movements) {}

    Folded(String table) {
        this("balances", table);
    }

    @Override
    public Change fold(@Nullable Change before, EventEnvelope event) {
        long amount = Balances.amount(event);
        return before == null ? new Change(amount, 1) : new Change(before.amount + amount, before.movements + 1);
    }

    @Override
    public void write(Connection transaction, Map<String, Change> folded) throws SQLException {
        Object[] amounts = folded.values().stream().map(Change::amount).toArray();
        Object[] movements = folded.values().stream().map(Change::movements).toArray();
        try (PreparedStatement upsert = transaction.prepareStatement("""
                INSERT INTO %s AS stored SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[])
                ON CONFLICT (account) DO UPDATE SET balance = stored.balance + excluded.balance,
                    movements = stored.movements + excluded.movements""".formatted(table))) {
            upsert.setArray(1, transaction.createArrayOf("text", folded.keySet().toArray()));
            upsert.setArray(2, transaction.createArrayOf("bigint", amounts));
            upsert.setArray(3, transaction.createArrayOf("bigint", movements));
            upsert.executeUpdate();
        }
    }
}
