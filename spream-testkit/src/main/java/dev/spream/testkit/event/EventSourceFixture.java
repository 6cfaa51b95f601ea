package dev.spream.testkit.event;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import java.util.List;

/**
 * An event source under test: one fresh source without events, created for one test and closed after it. Up to ten
 * threads use it at a time.
 */
public interface EventSourceFixture extends AutoCloseable {

    /** Returns the source; the same instance each time. */
    EventSource source();

    /** Returns a second source that delivers the same events, as in another process; the same instance each time. */
    EventSource anotherSource();

    /** Returns the name of a projection for which feeds may be opened; a different name for each number. */
    String projection(int number);

    /**
     * Writes events to the origin of the source, one after the other. The versions of an aggregate count from 1,
     * without gaps, over all calls of one thread; no two threads write to the same aggregate.
     */
    void write(List<EventEnvelope> events);

    /** Closes everything and deletes all stored data. */
    @Override
    void close();
}
