package dev.spream.testkit.event;

import dev.spream.projection.event.EventStore;

/** An event store without events, made for one test and closed after it. Up to ten threads use it at a time. */
public interface EventStoreFixture extends AutoCloseable {

    /** The store; the same instance each time. */
    EventStore store();

    /** A second one over the same events, as another process would have it; the same instance each time. */
    EventStore anotherStore();

    /** Closes everything and removes what it left. */
    @Override
    void close();
}
