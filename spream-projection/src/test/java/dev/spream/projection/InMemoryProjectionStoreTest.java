package dev.spream.projection;

/** The contract over the store in memory. */
final class InMemoryProjectionStoreTest extends ProjectionStoreContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
