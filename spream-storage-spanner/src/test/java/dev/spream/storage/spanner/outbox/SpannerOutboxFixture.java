package dev.spream.storage.spanner.outbox;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.TransactionManager;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.client.Timestamps;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** An outbox without rows. Time passes by moving the stored times back. */
final class SpannerOutboxFixture implements OutboxOperationsFixture<TransactionContext> {
    private final OutboxTestDatabase database;
    private final SpannerOutboxDatabase tables;
    private final Outbox<TransactionContext> outbox;
    private final IdempotencyLedger<TransactionContext> ledger;
    private final SpannerOutboxStore store;
    private final SpannerOutboxStore anotherStore;
    private final SpannerOutboxOperations operations;
    private final Map<TransactionContext, Open> open = new ConcurrentHashMap<>();

    SpannerOutboxFixture(OutboxTestDatabase database) {
        this.database = database;
        this.tables = database.take();
        this.outbox = new AbortedTransactions.OfOutbox(SpannerOutbox.open(tables));
        this.ledger = new AbortedTransactions.OfLedger(new SpannerIdempotencyLedger(tables));
        this.store = new SpannerOutboxStore(tables);
        this.anotherStore = new SpannerOutboxStore(tables);
        this.operations = new SpannerOutboxOperations(tables);
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
    public Outbox<TransactionContext> outbox() {
        return outbox;
    }

    @Override
    public IdempotencyLedger<TransactionContext> ledger() {
        return ledger;
    }

    @Override
    public OutboxOperations operations() {
        return operations;
    }

    @Override
    public TransactionContext begin() {
        SpannerConnection client = database.takeClient();
        TransactionManager manager = client.client().transactionManager();
        TransactionContext transaction = manager.begin();
        open.put(transaction, new Open(client, manager));
        return transaction;
    }

    private record Open(SpannerConnection client, TransactionManager manager) {}

    @Override
    public void commit(TransactionContext transaction) {
        end(transaction, TransactionManager::commit);
    }

    @Override
    public void rollback(TransactionContext transaction) {
        end(transaction, TransactionManager::rollback);
    }

    private void end(TransactionContext transaction, Consumer<TransactionManager> ending) {
        Open ended = Objects.requireNonNull(open.remove(transaction));
        try (TransactionManager manager = ended.manager()) {
            AbortedTransactions.retryable(() -> {
                ending.accept(manager);
                return true;
            });
        } finally {
            database.giveBack(ended.client());
        }
    }

    @Override
    public Instant now() {
        return Timestamps.current(tables.client().singleUse());
    }

    @Override
    public void passTime(Duration time) {
        tables.client().readWriteTransaction().run(context -> {
            tables.tables().all().forEach(table -> moveBack(context, table, time));
            return null;
        });
    }

    private void moveBack(TransactionContext context, String table, Duration time) {
        List<String> columns = columns(table);
        for (Struct row : Rows.all(context.read(table, KeySet.all(), columns), read -> read)) {
            Mutation.WriteBuilder moved = Mutation.newInsertOrUpdateBuilder(table);
            for (String column : columns) {
                moved.set(column)
                        .to(isTime(row, column) ? moved(row.getTimestamp(column), time) : row.getValue(column));
            }
            if (table.equals(tables.tables().audit())) {
                context.buffer(Mutation.delete(
                        table,
                        com.google.cloud.spanner.Key.of(
                                row.getLong("EntryId"), row.getTimestamp("At"), row.getString("Id"))));
            }
            context.buffer(moved.build());
        }
    }

    private static boolean isTime(Struct row, String column) {
        return row.getColumnType(column).equals(Type.timestamp()) && !row.isNull(column);
    }

    private static Value moved(Timestamp at, Duration time) {
        return Rows.value(Timestamps.toInstant(at).minus(time));
    }

    private List<String> columns(String table) {
        OutboxSchema names = tables.tables();
        return OutboxSchema.columns(Map.of(
                        names.entries(), EntryColumns.DECLARATIONS,
                        names.ledger(), LedgerRow.DECLARATIONS,
                        names.segments(), SegmentRows.SEGMENT_DECLARATIONS,
                        names.workers(), SegmentRows.WORKER_DECLARATIONS,
                        names.audit(), AuditRows.DECLARATIONS)
                .getOrDefault(table, List.of()));
    }

    @Override
    public OutboxStatus status(String idempotencyKey) {
        OutboxSchema names = tables.tables();
        String query = "SELECT %s FROM %s WHERE %s = %s"
                .formatted(
                        names.quoted("State"),
                        names.quoted(names.entries()),
                        names.quoted("IdempotencyKey"),
                        names.parameter(1));
        return Rows.all(
                        tables.client()
                                .singleUse()
                                .executeQuery(Rows.bound(query, List.of(Value.string(idempotencyKey)))),
                        row -> EntryRow.statusOf(row.getString(0)))
                .getFirst();
    }

    @Override
    public List<LedgerEntry> generations(String idempotencyKey) {
        return Rows.all(
                tables.client()
                        .singleUse()
                        .read(
                                tables.tables().ledger(),
                                KeySet.prefixRange(LedgerRow.prefix(idempotencyKey)),
                                LedgerRow.NAMES),
                row -> LedgerRow.read(row).entry());
    }

    @Override
    public void changeLedgerDigest(String idempotencyKey, String requestDigest) {
        LedgerRow last = LedgerRow.last(tables.client().singleUse(), tables.tables(), idempotencyKey)
                .orElseThrow();
        Map<String, Value> values = last.values();
        values.put("RequestDigest", Value.string(requestDigest));
        tables.client()
                .write(List.of(
                        Rows.mutation(Mutation.newUpdateBuilder(tables.tables().ledger()), values)));
    }

    @Override
    public void close() {
        open.keySet().forEach(this::rollback);
        store.close();
        anotherStore.close();
        operations.close();
        database.giveBack(tables);
    }
}
