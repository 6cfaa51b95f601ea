package dev.spream.examples.balance;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The balance of every account. Each batch writes an account once, however many movements it has. */
public final class AccountBalances
        implements FoldableProjection<Connection, AccountBalances.Change>, RebuildableProjection<Connection> {
    static final String TABLE = """
            CREATE TABLE IF NOT EXISTS account_balances (
                account text PRIMARY KEY, balance bigint NOT NULL, movements bigint NOT NULL)""";

    private static final String UPSERT = """
            INSERT INTO account_balances AS stored (account, balance, movements)
            SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[])
            ON CONFLICT (account) DO UPDATE SET balance = stored.balance + excluded.balance,
                movements = stored.movements + excluded.movements""";

    /** The sum of the movements of one account. */
    public record Change(long amount, long movements) {}

    @Override
    public String name() {
        return "account_balances";
    }

    @Override
    public Set<String> eventTypes() {
        return Movement.TYPES;
    }

    @Override
    public Set<String> tables() {
        return Set.of("account_balances");
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(TABLE);
        }
    }

    @Override
    public Change fold(@Nullable Change before, EventEnvelope event) {
        long amount = Movement.amount(event);
        return before == null ? new Change(amount, 1) : new Change(before.amount + amount, before.movements + 1);
    }

    @Override
    public void write(Connection transaction, Map<String, Change> changes) throws SQLException {
        List<Long> amounts = new ArrayList<>();
        List<Long> movements = new ArrayList<>();
        changes.values().forEach(change -> {
            amounts.add(change.amount());
            movements.add(change.movements());
        });
        try (PreparedStatement upsert = transaction.prepareStatement(UPSERT)) {
            upsert.setArray(
                    1, transaction.createArrayOf("text", changes.keySet().toArray()));
            upsert.setArray(2, transaction.createArrayOf("bigint", amounts.toArray()));
            upsert.setArray(3, transaction.createArrayOf("bigint", movements.toArray()));
            upsert.executeUpdate();
        }
    }
}
