package dev.spream.projection;

/** The contract over the operations in memory. */
final class InMemoryProjectionOperationsTest extends ProjectionOperationsContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
