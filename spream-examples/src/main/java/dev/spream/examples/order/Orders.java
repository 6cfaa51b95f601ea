package dev.spream.examples.order;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;

/** The orders of the service, in the table {@code orders}. Safe for use by many threads. */
final class Orders {
    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS orders (
              idempotency_key text PRIMARY KEY,
              symbol text NOT NULL,
              side text NOT NULL,
              quantity bigint NOT NULL,
              price numeric,
              account text,
              received_at timestamptz NOT NULL DEFAULT now())""";
    private static final long TABLE_LOCK = 7_302_118_265_043L; // an arbitrary number that is not used otherwise

    private final DataSource database;
    private final Outbox<Connection> outbox;

    private Orders(DataSource database, Outbox<Connection> outbox) {
        this.database = database;
        this.outbox = outbox;
    }

    /** Creates the table if it does not exist. Services that start concurrently wait for each other. */
    static Orders open(DataSource database, Outbox<Connection> outbox) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(%d)".formatted(TABLE_LOCK));
            statement.execute(TABLE);
            connection.commit();
        }
        return new Orders(database, outbox);
    }

    /**
     * Takes an order: its row, its entry in the outbox, and its key in the ledger are one transaction.
     *
     * @throws SQLException if the database failed; the order may have been taken
     * @throws StorageException if the database failed; the order may have been taken
     */
    EnqueueResult take(String idempotencyKey, Order order, Optional<String> traceparent) throws SQLException {
        try (Connection transaction = database.getConnection();
                OutboxTransaction messages = outbox.begin(transaction)) {
            transaction.setAutoCommit(false);
            EnqueueResult result = messages.enqueue(message(idempotencyKey, order, traceparent));
            if (result instanceof EnqueueResult.Enqueued) {
                insert(transaction, idempotencyKey, order);
            }
            messages.requireCommittable();
            transaction.commit(); // after an earlier exception the pool rolls back
            messages.committed();
            return result;
        }
    }

    private static OutboxMessage message(String idempotencyKey, Order order, Optional<String> traceparent) {
        OutboxMessage.Builder message = OutboxMessage.builder(idempotencyKey, order.json());
        order.account().ifPresent(message::orderingKey);
        traceparent.ifPresent(message::traceparent);
        return message.build();
    }

    private static void insert(Connection transaction, String idempotencyKey, Order order) throws SQLException {
        try (PreparedStatement insert = transaction.prepareStatement(
                "INSERT INTO orders (idempotency_key, symbol, side, quantity, price, account) VALUES (?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, idempotencyKey);
            insert.setString(2, order.symbol());
            insert.setString(3, order.side());
            insert.setLong(4, order.quantity());
            insert.setBigDecimal(5, order.price().orElse(null));
            insert.setString(6, order.account().orElse(null));
            insert.executeUpdate();
        }
    }
}
