package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.util.List;

/**
 * A transactional outbox: messages are enqueued in the transaction of the change that they report, and are sent only if it
 * commits.
 *
 * <p>Safe for use by many threads; a transaction is used by one at a time. What fails is a {@link StorageException}, after which
 * the transaction has to be rolled back.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface Outbox<T> {
    Class<T> transactionType();

    /**
     * Enqueues a message, and claims its idempotency key in the ledger. A key that the ledger has already enqueues nothing,
     * even if the entry itself was purged long ago. While another transaction that has enqueued the key is open, this waits.
     *
     * @throws IllegalArgumentException if the payload is no JSON text, or one that the store cannot hold
     */
    EnqueueResult enqueue(T transaction, OutboxMessage message);

    /** The same for several messages, at less cost. A key that is there twice is enqueued once. Results are in their order. */
    List<EnqueueResult> enqueueAll(T transaction, List<OutboxMessage> messages);

    /**
     * Tells workers that something was enqueued, here and in other processes; to be called after the commit. Never fails and
     * never waits: workers that miss it look by themselves, a little later.
     */
    void signal();
}
