package dev.spream.testkit.event;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** The fixture of {@link QueueEventSource}, whose methods may be replaced by broken ones. */
public final class QueueEventSourceFixture implements QueueSourceFixture {
    private final QueueEventSource queue = new QueueEventSource();
    private final AtomicInteger undecodable = new AtomicInteger();
    private final EventSource source;
    private final EventSource another;

    public QueueEventSourceFixture(UnaryOperator<EventSource> spoil) {
        source = spoil.apply(queue);
        another = spoil.apply(queue.another());
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
        events.forEach(queue::write);
    }

    @Override
    public void writeUndecodable() {
        queue.writeUndecodable("message " + undecodable.incrementAndGet());
    }

    @Override
    public void close() {
        source.close();
        another.close();
    }
}
