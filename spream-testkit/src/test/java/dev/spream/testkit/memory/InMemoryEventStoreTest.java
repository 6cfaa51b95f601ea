package dev.spream.testkit.memory;

import dev.spream.testkit.event.EventStoreContract;
import dev.spream.testkit.event.EventStoreFixture;

/** The contract over the store in memory. */
final class InMemoryEventStoreTest extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new InMemoryEventStoreFixture(store -> store);
    }
}
