package dev.spream.examples.balance;

import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** Every movement of every account, numbered, with the balance after it. */
public final class AccountStatements implements RebuildableProjection<Connection> {
    static final String TABLE = """
            CREATE TABLE IF NOT EXISTS account_statements (
                account text, number bigint, amount bigint NOT NULL, balance numeric NOT NULL,
                PRIMARY KEY (account, number))""";

    private static final String INSERT = """
            INSERT INTO account_statements
            SELECT next.account, coalesce(last.number, 0) + 1, next.amount, coalesce(last.balance, 0) + next.amount
            FROM (VALUES (?, ?)) AS next (account, amount)
            LEFT JOIN LATERAL (
                SELECT number, balance FROM account_statements WHERE account = next.account
                ORDER BY number DESC LIMIT 1) AS last ON true""";

    @Override
    public String name() {
        return "account_statements";
    }

    @Override
    public Set<String> eventTypes() {
        return Movement.TYPES;
    }

    @Override
    public Set<String> tables() {
        return Set.of("account_statements");
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(TABLE);
        }
    }

    @Override
    public void apply(Connection transaction, EventEnvelope event) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(INSERT)) {
            insert.setString(1, event.aggregateId());
            insert.setLong(2, Movement.amount(event));
            insert.executeUpdate();
        }
    }
}
