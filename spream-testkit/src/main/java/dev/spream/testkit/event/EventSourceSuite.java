package dev.spream.testkit.event;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The base of the contracts of event sources: each test has a fixture of its own. A source keeps the whole contract for
 * its kind.
 *
 * @param <F> the fixture that the contract needs
 */
@Timeout(60)
public abstract class EventSourceSuite<F extends EventSourceFixture> implements EventSourceStage {
    private F fixture;
    private Threads threads;

    /** Returns a fixture over a source without events. */
    protected abstract F createFixture() throws Exception;

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
    public final F fixture() {
        return fixture;
    }

    @Override
    public final Threads threads() {
        return threads;
    }
}
