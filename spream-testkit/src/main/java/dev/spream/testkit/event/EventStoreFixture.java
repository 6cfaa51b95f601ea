package dev.spream.testkit.event;

import dev.spream.projection.event.EventStore;

/** An event store without events, created for one test and closed after it. Up to ten threads use it at a time. */
public interface EventStoreFixture extends AutoCloseable {

    /** Returns the store; the same instance each time. */
    EventStore store();

    /** Returns a second store over the same events, as in another process; the same instance each time. */
    EventStore anotherStore();

    /** Closes everything and deletes all stored data. */
    @Override
    void close();
}
