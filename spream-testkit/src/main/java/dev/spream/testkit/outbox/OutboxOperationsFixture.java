package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxOperations;

/**
 * The fixture with which {@link OutboxOperationsContract} tests a store.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxOperationsFixture<T> extends OutboxFixture<T> {

    /** Returns the operations on the same outbox; the same instance each time. */
    OutboxOperations operations();
}
