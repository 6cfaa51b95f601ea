package dev.spream.testkit.memory;

import dev.spream.testkit.projection.ProjectionRebuildsContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;

/** The contract over the versions in memory. */
final class InMemoryProjectionRebuildsTest extends ProjectionRebuildsContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
