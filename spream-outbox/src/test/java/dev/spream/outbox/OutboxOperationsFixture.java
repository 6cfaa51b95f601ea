package dev.spream.outbox;

/**
 * What {@link OutboxOperationsContract} needs to know besides.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxOperationsFixture<T> extends OutboxFixture<T> {

    /** Operations over the same outbox; the same instance each time. */
    OutboxOperations operations();
}
