package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.util.List;

/**
 * A transactional outbox: messages are enqueued in the transaction of the change that they report, and are sent only if
 * that transaction commits.
 *
 * <p>Safe for use by many threads; a transaction is used by one at a time. Failures are {@link StorageException}s,
 * after which the transaction has to be rolled back.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface Outbox<T> {
    Class<T> transactionType();

    /**
     * Enqueues a message and claims its idempotency key in the ledger. Nothing is enqueued if the key is already in the
     * ledger, even if its entry was purged. Waits while another open transaction has enqueued the same key.
     *
     * @throws IllegalArgumentException if the payload is not a JSON text, or cannot be held by the store, or a new message
     *     would expire before its delay ends
     */
    default EnqueueResult enqueue(T transaction, OutboxMessage message) {
        return enqueueAll(transaction, List.of(message)).getFirst();
    }

    /**
     * Enqueues several messages, at less cost than one by one. A key that occurs twice is enqueued once. The results
     * are in the order of the messages.
     */
    List<EnqueueResult> enqueueAll(T transaction, List<OutboxMessage> messages);

    /**
     * Begins to enqueue in a transaction of which the caller reports the commit: the fastest way to a worker of this
     * process. May be called several times for a transaction.
     */
    OutboxTransaction begin(T transaction);

    /**
     * Notifies workers, here and in other processes, that something was enqueued; to be called after the commit. Never
     * fails and never waits: workers that miss the notification find the entry at their next poll.
     */
    void signal();
}
