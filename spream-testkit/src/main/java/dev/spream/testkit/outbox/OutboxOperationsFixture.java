package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxOperations;

/**
 * The fixture of {@link OutboxOperationsContract}.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxOperationsFixture<T> extends OutboxFixture<T> {

    /** Returns the operations on the same outbox; the same instance each time. */
    OutboxOperations operations();
}
