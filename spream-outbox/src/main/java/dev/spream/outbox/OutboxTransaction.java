package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.util.List;

/**
 * The messages of one transaction of the caller, from {@link Outbox#begin}. A message without an ordering key and
 * start time is <em>claimed as it is enqueued</em> where a worker of this process has room for it: the worker starts to
 * send it at {@link #committed}, without another statement. The other messages are claimed by workers as usual.
 *
 * <p>If the process dies between the commit and {@link #committed}, or the call is forgotten, a claimed entry waits until
 * the lease of its claim expires, and then counts as one that may have reached the receiver.
 *
 * <p>Used by one thread at a time, and closed by the caller.
 */
public interface OutboxTransaction extends AutoCloseable {

    /**
     * Like {@link Outbox#enqueue}.
     *
     * @throws IllegalStateException after {@link #committed} or {@link #close}
     */
    default EnqueueResult enqueue(OutboxMessage message) {
        return enqueueAll(List.of(message)).getFirst();
    }

    /**
     * Like {@link Outbox#enqueueAll}. In another transaction than before it fails, and closes this.
     *
     * @throws IllegalStateException after {@link #committed} or {@link #close}
     */
    List<EnqueueResult> enqueueAll(List<OutboxMessage> messages);

    /**
     * Requires that the transaction still is the one in which the messages were enqueued, and that no error has aborted
     * it; to be called before the commit, and not before the last message. In PostgreSQL, the commit of a transaction
     * after an error that the program ignored is a rollback, which drivers may not report; so is a commit after the SQL
     * statement {@code ROLLBACK}. Messages that were rolled back to a savepoint are recognised, and not sent. Takes a
     * query if messages were claimed as they were enqueued. Does nothing where a commit fails by itself.
     *
     * @throws StorageException if it is not; the transaction has to be rolled back, and this was closed
     * @throws IllegalStateException after {@link #committed} or {@link #close}
     */
    default void requireCommittable() {}

    /**
     * Has the messages sent; to be called once the transaction has committed, and never before: a worker could send a
     * message that is rolled back afterwards, and one that was rolled back to a savepoint too. Never waits for the
     * database, and does not fail if it is unreachable.
     *
     * @throws IllegalStateException if this was called before or after {@link #close}
     */
    void committed();

    /**
     * Returns the room of the worker unless {@link #committed} was called. Entries that may have been committed
     * nevertheless, as after a lost connection, are released in the background, so that another claim need not wait for
     * the lease; so the transaction has to end before. Closing again has no effect. Does not end the transaction, and
     * throws no {@link StorageException}.
     */
    @Override
    void close();
}
