package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An outbox in a database of its own, whose clock can be advanced. */
final class JdbcOutboxFixture implements OutboxOperationsFixture<Connection> {
    private final TestDatabase database = TestOutbox.databaseWithTables();
    private final JdbcOutbox outbox = JdbcOutbox.create(database.dataSource());
    private final JdbcIdempotencyLedger ledger = JdbcIdempotencyLedger.create(database.dataSource());
    private final JdbcOutboxStore store = JdbcOutboxStore.create(database.dataSource());
    private final JdbcOutboxStore anotherStore = JdbcOutboxStore.create(database.dataSource());
    private final JdbcOutboxOperations operations = JdbcOutboxOperations.create(database.dataSource());
    private final PostgresOutboxDatabase tables =
            new PostgresOutboxDatabase(database.dataSource(), OutboxTables.defaults(), Duration.ofSeconds(5));

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxStore anotherStore() {
        return anotherStore;
    }

    @Override
    public Outbox<Connection> outbox() {
        return outbox;
    }

    @Override
    public IdempotencyLedger<Connection> ledger() {
        return ledger;
    }

    @Override
    public OutboxOperations operations() {
        return operations;
    }

    @Override
    public Connection begin() {
        try {
            Connection connection = database.dataSource().getConnection();
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void commit(Connection transaction) {
        try (transaction) {
            transaction.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void rollback(Connection transaction) {
        try (transaction) {
            transaction.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Instant now() {
        return rows("SELECT clock_timestamp() AS time", p -> {}, row -> JdbcTimestamps.clock(row, "time"))
                .getFirst();
    }

    @Override
    public void passTime(Duration time) {
        database.passTime(time);
    }

    @Override
    public OutboxStatus status(String idempotencyKey) {
        return rows(
                        "SELECT status FROM @outbox WHERE idempotency_key = ?",
                        p -> p.text(idempotencyKey),
                        row -> OutboxStatus.of(row.getString("status")))
                .getFirst();
    }

    @Override
    public List<LedgerEntry> generations(String idempotencyKey) {
        return rows(
                "SELECT %s FROM @ledger l WHERE idempotency_key = ? ORDER BY generation".formatted(LedgerRows.COLUMNS),
                p -> p.text(idempotencyKey),
                LedgerRows::read);
    }

    @Override
    public void changeLedgerDigest(String idempotencyKey, String requestDigest) {
        tables.update("changing a digest", """
                UPDATE @ledger l SET request_digest = ? WHERE idempotency_key = ? AND generation =
                    (SELECT max(generation) FROM @ledger WHERE idempotency_key = l.idempotency_key)""", p -> p.text(requestDigest).text(idempotencyKey));
    }

    private <T> List<T> rows(String sql, Database.Binder binder, Database.RowReader<T> reader) {
        return tables.rows("looking at the outbox", sql, binder, reader);
    }

    @Override
    public void close() {
        store.close();
        anotherStore.close();
        operations.close();
        database.close();
    }
}
