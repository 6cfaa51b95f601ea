package dev.spream.testkit.memory;

import dev.spream.projection.event.EventStore;
import dev.spream.testkit.event.EventStoreFixture;
import java.util.function.UnaryOperator;

/** A store in memory, which may be spoilt. */
final class InMemoryEventStoreFixture implements EventStoreFixture {
    private final InMemoryEventStore memory = new InMemoryEventStore();
    private final EventStore store;

    InMemoryEventStoreFixture(UnaryOperator<EventStore> spoil) {
        store = spoil.apply(memory);
    }

    @Override
    public EventStore store() {
        return store;
    }

    @Override
    public EventStore anotherStore() {
        return store;
    }

    @Override
    public void close() {
        store.close();
    }
}
