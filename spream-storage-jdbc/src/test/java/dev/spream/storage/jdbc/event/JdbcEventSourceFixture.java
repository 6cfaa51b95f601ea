package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.testkit.event.EventSourceFixture;
import java.util.List;

/** The sources of two stores over one table. */
final class JdbcEventSourceFixture implements EventSourceFixture {
    private final JdbcEventStoreFixture stores = new JdbcEventStoreFixture();
    private final EventSource source = stores.store().source();
    private final EventSource another = stores.anotherStore().source();

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
            stores.store()
                    .append(event.aggregateId(), ExpectedVersion.exactly(event.eventVersion() - 1), List.of(added));
        }
    }

    @Override
    public void close() {
        source.close();
        another.close();
        stores.close();
    }
}
