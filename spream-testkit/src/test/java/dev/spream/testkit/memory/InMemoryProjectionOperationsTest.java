package dev.spream.testkit.memory;

import dev.spream.testkit.projection.ProjectionOperationsContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;

/** The contract over the operations in memory. */
final class InMemoryProjectionOperationsTest extends ProjectionOperationsContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
