package dev.spream.examples.balance;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The total of every customer over all of the customer's accounts. Accounts of one customer are in several segments,
 * which write the customer's row concurrently: therefore the movements are folded by customer, and rows are written in
 * one order.
 */
public final class CustomerTotals implements FoldableProjection<Connection, Long> {
    static final String TABLE =
            "CREATE TABLE IF NOT EXISTS customer_totals (customer text PRIMARY KEY, total bigint NOT NULL)";

    /** Rows are written in the order of the arrays. */
    private static final String ADD = """
            INSERT INTO customer_totals AS stored (customer, total)
            SELECT * FROM unnest(?::text[], ?::bigint[])
            ON CONFLICT (customer) DO UPDATE SET total = stored.total + excluded.total""";

    @Override
    public String name() {
        return "customer_totals";
    }

    @Override
    public Set<String> eventTypes() {
        return Movement.TYPES;
    }

    @Override
    public String key(EventEnvelope event) {
        return Movement.customer(event);
    }

    @Override
    public Long fold(@Nullable Long before, EventEnvelope event) {
        return (before == null ? 0 : before) + Movement.amount(event);
    }

    @Override
    public void write(Connection transaction, Map<String, Long> amounts) throws SQLException {
        try (PreparedStatement add = transaction.prepareStatement(ADD)) {
            add.setArray(1, transaction.createArrayOf("text", amounts.keySet().toArray()));
            add.setArray(2, transaction.createArrayOf("bigint", amounts.values().toArray()));
            add.executeUpdate();
        }
    }
}
