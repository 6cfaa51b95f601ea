package dev.spream.testkit.memory;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.testkit.event.EventSourceFixture;
import java.util.List;
import java.util.function.UnaryOperator;

/** The source of a store in memory, which may be spoilt. */
final class InMemoryEventSourceFixture implements EventSourceFixture {
    private final InMemoryEventStore store = new InMemoryEventStore();
    private final EventSource source;
    private final EventSource another;

    InMemoryEventSourceFixture(UnaryOperator<EventSource> spoil) {
        source = spoil.apply(store.source());
        another = spoil.apply(store.source());
    }

    @Override
    public EventSource source() {
        return source;
    }

    @Override
    public EventSource anotherSource() {
        return another;
    }

    @Override
    public String projection(int number) {
        return "projection-" + number;
    }

    @Override
    public void write(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            NewEvent added = new NewEvent(
                    event.eventId(), event.eventType(), event.eventData(), event.occurredAt(), event.metadata());
            store.append(event.aggregateId(), ExpectedVersion.exactly(event.eventVersion() - 1), List.of(added));
        }
    }

    @Override
    public void close() {
        source.close();
        another.close();
        store.close();
    }
}
