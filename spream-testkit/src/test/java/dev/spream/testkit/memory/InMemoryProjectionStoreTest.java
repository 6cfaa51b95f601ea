package dev.spream.testkit.memory;

import dev.spream.testkit.projection.ProjectionStoreContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;

/** The contract over the store in memory. */
final class InMemoryProjectionStoreTest extends ProjectionStoreContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
