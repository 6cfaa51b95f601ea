package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxOperations;

/**
 * The contract of {@link OutboxOperations} as tests, to be extended in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class OutboxOperationsContract<T> extends OutboxSuite<T>
        implements InspectionContract<T>,
                RequeueContract<T>,
                ManualSettlementContract<T>,
                OutboxCleanUpContract<T>,
                OutboxRetentionContract<T> {

    @Override
    protected abstract OutboxOperationsFixture<T> createFixture() throws Exception;

    @Override
    public final OutboxOperations operations() {
        return ((OutboxOperationsFixture<T>) given().fixture()).operations();
    }
}
