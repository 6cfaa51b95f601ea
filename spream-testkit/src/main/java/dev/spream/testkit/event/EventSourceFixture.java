package dev.spream.testkit.event;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import java.util.List;

/**
 * The fixture by which the contracts of event sources know a source. It stands for one fresh source without events; it is
 * made for one test and closed after it. Up to ten threads use it at a time.
 */
public interface EventSourceFixture extends AutoCloseable {

    /** The source; the same instance each time. */
    EventSource source();

    /** A second one that delivers the same, as another process would have it; the same instance each time. */
    EventSource anotherSource();

    /** A projection that feeds may be opened for; another one for 1 than for 0. */
    String projection(int number);

    /**
     * Writes events to where the source has them from, one after the other. The versions of an aggregate count from 1, without
     * gaps, over all calls of one thread; no two threads write to the same aggregate.
     */
    void write(List<EventEnvelope> events);

    /** Closes everything and removes what it left. */
    @Override
    void close();
}
