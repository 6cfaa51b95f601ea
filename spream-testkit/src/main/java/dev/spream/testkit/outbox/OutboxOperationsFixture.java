package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxOperations;

/**
 * What {@link OutboxOperationsContract} needs to know besides.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxOperationsFixture<T> extends OutboxFixture<T> {

    /** Operations over the same outbox; the same instance each time. */
    OutboxOperations operations();
}
