package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.outbox.dialect.OutboxAuditTable;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * {@link OutboxOperations} in PostgreSQL, MySQL or MariaDB, concurrently with any number of workers. A change locks the entry
 * first and its ledger row second, as workers do, and increments the entry's claim token, so that the claim of a worker
 * is lost.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end. The caller owns the data
 * source and closes it afterwards.
 */
public final class JdbcOutboxOperations implements OutboxOperations {
    private final OutboxSql sql;
    private final OutboxDatabase database;

    private JdbcOutboxOperations(OutboxSql sql) {
        this.sql = sql;
        this.database = sql.database();
    }

    /**
     * Opens the operations of the outbox {@code outbox_orders} in the schema {@code spream}, and creates it if it does
     * not exist.
     */
    public static JdbcOutboxOperations create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static OutboxBuilder<JdbcOutboxOperations> builder(DataSource dataSource) {
        return new OutboxBuilder<>(dataSource, JdbcOutboxOperations::new);
    }

    @Override
    public OutboxStats stats() {
        return sql.stats();
    }

    @Override
    public OutboxStats exactStats() {
        return sql.exactStats();
    }

    @Override
    public List<OutboxRow> list(OutboxFilter filter) {
        return new OperationsRows(database).list(filter);
    }

    @Override
    public Optional<OutboxRow> find(long id) {
        return new OperationsRows(database).find(id);
    }

    @Override
    public Optional<OutboxRow> find(String idempotencyKey) {
        return new OperationsRows(database).find(idempotencyKey);
    }

    @Override
    public Optional<String> payload(long id) {
        return new OperationsRows(database).payload(id);
    }

    @Override
    public List<AuditEntry> audit(long id) {
        return OutboxAuditTable.of(database, id);
    }

    @Override
    public OperatorResult requeue(long id, OperatorAction act) {
        return new OperationsChanges(database).requeue(id, act);
    }

    @Override
    public OperatorResult settle(long id, LedgerResult result, OperatorAction act) {
        return new OperationsChanges(database).settle("settle", id, result, act);
    }

    @Override
    public OperatorResult abort(long id, OperatorAction act) {
        return new OperationsChanges(database)
                .settle("abort", id, LedgerResult.failed(ReasonCode.ABORTED_BY_HAND), act);
    }

    @Override
    public int releaseExpired(OperatorAction act) {
        return sql.releaseExpired(act);
    }

    @Override
    public int purge(Duration settledFor, int limit, OperatorAction act) {
        return sql.purge(settledFor, limit, act);
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, OperatorAction act) {
        return sql.pruneLedger(settledFor, limit, act);
    }

    @Override
    public void close() {
        database.close();
    }
}
