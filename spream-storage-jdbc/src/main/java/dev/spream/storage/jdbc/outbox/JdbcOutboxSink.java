package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.outbox.OutboxMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Enqueues the changes of a change stream in an outbox: one entry for each changed row, whose payload is a data change
 * record of that row alone, in the documented JSON format. A batch is one transaction. The idempotency key of an entry
 * consists of the table's name, the record's {@linkplain DataChangeRecord#identity() identity} and the row's index in
 * it, so that a redelivered or replayed change is not enqueued again while the ledger keeps its keys.
 *
 * <p>By default, entries of one row are sent one at a time in commit order: their ordering key consists of the table
 * and the primary key. A dead-lettered change that is replayed is sent after the changes that were enqueued meanwhile.
 *
 * <p>A change that cannot be stored, such as one with the character NUL in a text in PostgreSQL, fails individually with {@link
 * NonRetryableException}; retryable failures are reported by {@link dev.spream.core.StorageException}.
 *
 * <p>Immutable, and safe for use by many threads.
 */
public final class JdbcOutboxSink implements BatchConsumer {
    private final JdbcOutbox outbox;
    private final ChangeOutboxMessages messages;

    private JdbcOutboxSink(JdbcOutbox outbox, ChangeOutboxMessages messages) {
        this.outbox = outbox;
        this.messages = messages;
    }

    /** Returns a sink that enqueues with the outbox's data source, in transactions of its own. */
    public static JdbcOutboxSink into(JdbcOutbox outbox) {
        return new JdbcOutboxSink(requireNonNull(outbox, "outbox"), new ChangeOutboxMessages(true, Optional.empty()));
    }

    /** Returns a sink whose entries are sent in any order. */
    public JdbcOutboxSink unordered() {
        return new JdbcOutboxSink(outbox, new ChangeOutboxMessages(false, messages.expireAfter()));
    }

    /** Returns a sink whose entries expire that long after the commit of the change. */
    public JdbcOutboxSink expireAfter(Duration age) {
        return new JdbcOutboxSink(outbox, new ChangeOutboxMessages(messages.ordered(), Optional.of(age)));
    }

    @Override
    public void consume(Batch batch) throws Exception {
        List<DataChangeRecord> changes = batch.changes();
        List<OutboxMessage> rows =
                changes.stream().flatMap(change -> messages.of(change).stream()).toList();
        try {
            outbox.enqueueInOwnTransaction(rows);
        } catch (IllegalArgumentException e) {
            throw refusal(batch, e);
        }
        outbox.signal();
    }

    /**
     * Returns the exception for a refused batch. Any of several changes may be the cause, so the caller retries them
     * one by one, except those of a transaction.
     */
    private static SpreamException refusal(Batch batch, IllegalArgumentException cause) {
        List<DataChangeRecord> changes = batch.changes();
        DataChangeRecord first = changes.getFirst();
        if (batch.isTransaction()) {
            return new NonRetryableException(
                    "the transaction %s of %s with %d changes cannot be enqueued: %s; none of its rows was enqueued"
                            .formatted(
                                    first.serverTransactionId(),
                                    first.commitTimestamp(),
                                    changes.size(),
                                    cause.getMessage()),
                    cause);
        }
        return changes.size() == 1
                ? new NonRetryableException(
                        "the change %s of table %s cannot be enqueued: %s; none of its rows was enqueued"
                                .formatted(first.identity(), first.tableName(), cause.getMessage()),
                        cause)
                : new SpreamException("one of %d changes cannot be enqueued: %s; nothing was enqueued"
                        .formatted(changes.size(), cause.getMessage()));
    }
}
