package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import java.util.Optional;

/**
 * An {@link Outbox} in a Spanner database of either dialect. Messages are enqueued in read-write transactions of the
 * caller, from a {@code TransactionRunner} or a {@code TransactionManager} of any client of that database; the function
 * of a runner is repeated as a whole if Spanner aborts the transaction, which undoes what was enqueued.
 *
 * <p>A call takes three requests, or four with ordering keys. It locks the idempotency keys, so transactions with the same key wait
 * for each other or are aborted, and those with other keys do not. Entries with one ordering key are sent in the order
 * of their ids, which is that of the calls if each call begins after the commit of the one before it, whichever
 * processes they are in; transactions that are open at the same time are in either order.
 *
 * <p>Besides {@link StorageException}s, calls in an aborted transaction throw the client's {@code AbortedException},
 * upon which the caller repeats the transaction. Safe for use by many threads. It does not close its connection.
 */
public final class SpannerOutbox implements Outbox<TransactionContext> {
    private final SpannerOutboxDatabase database;
    private final EnqueueStatements statements;

    SpannerOutbox(SpannerOutboxDatabase database, EntryIds ids) {
        this.database = database;
        this.statements = new EnqueueStatements(database, ids);
    }

    /**
     * Opens the outbox whose tables {@link SpannerOutboxTables#create} has created.
     *
     * @param table the table of the entries
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if tables are missing, or the database cannot be queried
     */
    public static SpannerOutbox open(SpannerConnection connection, String table) {
        return open(SpannerOutboxDatabase.open(connection, table, SpannerOutboxDatabase.TIMEOUT));
    }

    static SpannerOutbox open(SpannerOutboxDatabase database) {
        return new SpannerOutbox(database, EntryIds.OF_THIS_PROCESS);
    }

    @Override
    public Class<TransactionContext> transactionType() {
        return TransactionContext.class;
    }

    @Override
    public List<EnqueueResult> enqueueAll(TransactionContext transaction, List<OutboxMessage> messages) {
        return statements.enqueueAll(transaction, messages, Optional.empty()).results();
    }

    /**
     * Begins to enqueue in an attempt of a transaction. Each attempt begins anew, and closes what an aborted attempt
     * had begun.
     */
    @Override
    public OutboxTransaction begin(TransactionContext transaction) {
        return new SpannerOutboxTransaction(database, statements, transaction);
    }

    /** Notifies the workers of this process; those of other processes find the entries at their next poll. */
    @Override
    public void signal() {
        ProcessWatchers.wake(database);
    }
}
