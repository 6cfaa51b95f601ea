package dev.spream.projection.event;

/** The contract over the store in memory. */
final class InMemoryEventStoreTest extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new InMemoryEventStoreFixture(store -> store);
    }
}
