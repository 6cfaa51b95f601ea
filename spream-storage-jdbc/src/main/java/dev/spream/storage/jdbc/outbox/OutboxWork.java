package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxTransaction;
import java.sql.Connection;

/**
 * Work in a transaction of {@link JdbcOutbox#transact}, which is committed with the messages that it enqueues.
 *
 * @param <R> the result of the work, not null; see {@link Action} for work without one
 * @param <E> the exception of the work; the transaction is rolled back then
 */
@FunctionalInterface
public interface OutboxWork<R, E extends Exception> {
    /**
     * Does the work. It must neither end the transaction nor call {@link OutboxTransaction#committed}, which the
     * arguments refuse; closing them has no effect. Both arguments cannot be used after it has returned.
     *
     * @param messages the messages of the transaction
     */
    R run(Connection connection, OutboxTransaction messages) throws E;

    /**
     * {@link OutboxWork} that has no result.
     *
     * @param <E> the exception of the work; the transaction is rolled back then
     */
    @FunctionalInterface
    interface Action<E extends Exception> {
        /** Does the work, as {@link OutboxWork#run} does. */
        void run(Connection connection, OutboxTransaction messages) throws E;
    }
}
