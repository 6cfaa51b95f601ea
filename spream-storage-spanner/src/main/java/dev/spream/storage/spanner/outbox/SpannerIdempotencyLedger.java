package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.StorageException;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An {@link IdempotencyLedger} in a Spanner database of either dialect: the ledger of an outbox, whose tables {@link
 * SpannerOutboxTables#create} creates. Transactions are read-write transactions of the caller; see {@link
 * SpannerOutbox}. Safe for use by many threads. It does not close its connection.
 */
public final class SpannerIdempotencyLedger implements IdempotencyLedger<TransactionContext> {
    private final SpannerOutboxDatabase database;

    SpannerIdempotencyLedger(SpannerOutboxDatabase database) {
        this.database = database;
    }

    /**
     * Opens the ledger of the outbox with that table of entries.
     *
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if tables are missing, or the database cannot be queried
     */
    public static SpannerIdempotencyLedger open(SpannerConnection connection, String table) {
        return new SpannerIdempotencyLedger(
                SpannerOutboxDatabase.open(connection, table, SpannerOutboxDatabase.TIMEOUT));
    }

    @Override
    public Class<TransactionContext> transactionType() {
        return TransactionContext.class;
    }

    @Override
    public LedgerClaim claim(TransactionContext transaction, String idempotencyKey, String requestDigest) {
        return database.inTransaction("beginning a request", () -> {
            Optional<LedgerRow> last = first(transaction, idempotencyKey, 1)
                    .flatMap(exists -> LedgerRow.last(transaction, database.tables(), idempotencyKey));
            if (last.isEmpty()) {
                insert(
                        transaction,
                        LedgerRow.begun(idempotencyKey, requestDigest, SpannerOutboxDatabase.now(transaction), null));
                return new LedgerClaim.Begun(1);
            }
            LedgerRow known = last.get();
            if (!known.digest().equals(requestDigest)) {
                return new LedgerClaim.Conflict(known.entry());
            }
            return known.result().isPresent()
                    ? new LedgerClaim.Settled(known.entry())
                    : new LedgerClaim.InProgress(known.entry());
        });
    }

    private Optional<LedgerRow> first(TransactionContext transaction, String key, int generation) {
        Struct row = transaction.readRow(database.tables().ledger(), LedgerRow.key(key, generation), LedgerRow.NAMES);
        return Optional.ofNullable(row).map(LedgerRow::read);
    }

    @Override
    public boolean settle(
            TransactionContext transaction,
            String idempotencyKey,
            int generation,
            String requestDigest,
            LedgerResult result) {
        return database.inTransaction("settling a request", () -> {
            Optional<LedgerRow> open =
                    first(transaction, idempotencyKey, generation).filter(row -> row.isOpen(requestDigest));
            open.ifPresent(row ->
                    transaction.executeUpdate(update(row.settled(result, SpannerOutboxDatabase.now(transaction)))));
            return open.isPresent();
        });
    }

    @Override
    public Optional<Integer> reopen(TransactionContext transaction, String idempotencyKey) {
        return database.inTransaction("reopening a request", () -> {
            Optional<LedgerRow> failed = LedgerRow.last(transaction, database.tables(), idempotencyKey)
                    .filter(LedgerRow::hasFailed);
            failed.ifPresent(row -> {
                Instant now = SpannerOutboxDatabase.now(transaction);
                transaction.executeUpdate(update(row.kept()));
                insert(transaction, row.reopened(now));
            });
            return failed.map(row -> row.generation() + 1);
        });
    }

    private void insert(TransactionContext transaction, LedgerRow row) {
        OutboxSchema tables = database.tables();
        transaction.executeUpdate(Rows.insert(tables, tables.ledger(), row.values()));
    }

    private Statement update(LedgerRow row) {
        OutboxSchema tables = database.tables();
        return Rows.update(tables, tables.ledger(), LedgerRow.KEY, row.values());
    }

    @Override
    public Optional<LedgerEntry> find(String idempotencyKey) {
        return database.read("reading a request", context -> LedgerRow.last(context, database.tables(), idempotencyKey))
                .map(LedgerRow::entry);
    }

    @Override
    public int prune(Duration settledFor, int limit) {
        return new OldRows(database).pruneLedger(settledFor, limit, (write, count) -> {});
    }
}
