package dev.spream.projection;

/** The contract over the versions in memory. */
final class InMemoryProjectionRebuildsTest extends ProjectionRebuildsContract<InMemoryProjectionStore.Transaction> {
    @Override
    protected ProjectionStoreFixture<InMemoryProjectionStore.Transaction> createFixture() {
        return new InMemoryProjectionStoreFixture();
    }
}
