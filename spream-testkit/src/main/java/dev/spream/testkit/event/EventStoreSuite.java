package dev.spream.testkit.event;

import dev.spream.projection.event.EventStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** The base of the contract of event stores: each test has a fixture of its own. A store keeps the whole contract. */
@Timeout(60)
public abstract class EventStoreSuite implements EventStoreStage {
    private EventStoreFixture fixture;
    private Threads threads;

    /** Returns a fixture over a store without events. */
    protected abstract EventStoreFixture createFixture() throws Exception;

    @BeforeEach
    final void openFixture() throws Exception {
        fixture = createFixture();
        threads = new Threads();
    }

    @AfterEach
    final void closeFixture() {
        threads.close();
        fixture.close();
    }

    @Override
    public final EventStore store() {
        return fixture.store();
    }

    @Override
    public final EventStore anotherStore() {
        return fixture.anotherStore();
    }

    @Override
    public final Threads threads() {
        return threads;
    }
}
