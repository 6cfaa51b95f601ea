package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An outbox in a database, whose time can be advanced. */
final class JdbcOutboxFixture implements OutboxOperationsFixture<Connection> {
    private final OutboxPlace place;
    private final JdbcOutbox outbox;
    private final JdbcIdempotencyLedger ledger;
    private final JdbcOutboxStore store;
    private final JdbcOutboxStore anotherStore;
    private final JdbcOutboxOperations operations;
    private final OutboxDatabase tables;

    /** In PostgreSQL. */
    JdbcOutboxFixture() {
        this(new PostgresOutboxPlace());
    }

    JdbcOutboxFixture(OutboxPlace place) {
        this.place = place;
        this.outbox = JdbcOutbox.create(place.dataSource());
        this.ledger = JdbcIdempotencyLedger.create(place.dataSource());
        this.store = JdbcOutboxStore.create(place.dataSource());
        this.anotherStore = JdbcOutboxStore.create(place.dataSource());
        this.operations = JdbcOutboxOperations.create(place.dataSource());
        this.tables = place.tables();
    }

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
            Connection connection = place.dataSource().getConnection();
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
        return rows("SELECT @now AS time", p -> {}, row -> JdbcTimestamps.clock(row, "time"))
                .getFirst();
    }

    @Override
    public void passTime(Duration time) {
        place.passTime(time);
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
        int last = generations(idempotencyKey).getLast().generation();
        tables.update(
                "changing a digest",
                "UPDATE @ledger SET request_digest = ? WHERE idempotency_key = ? AND generation = ?",
                p -> p.text(requestDigest).text(idempotencyKey).number(last));
    }

    private <T> List<T> rows(String sql, Database.Binder binder, Database.RowReader<T> reader) {
        return tables.rows("looking at the outbox", sql, binder, reader);
    }

    @Override
    public void close() {
        store.close();
        anotherStore.close();
        operations.close();
        place.close();
    }
}
