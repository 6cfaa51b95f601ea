package dev.spream.testkit.outbox;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The base of the contracts of an outbox: each test has a fixture of its own. A store must fulfil the whole contract;
 * no test can be excluded. The tests are in the interfaces that a contract implements, by subject.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class OutboxSuite<T> {
    private OutboxFixture<T> fixture;
    private OutboxScenario<T> scenario;

    /** Returns a fixture with a new, empty outbox and ledger. */
    protected abstract OutboxFixture<T> createFixture() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        fixture = createFixture();
        scenario = new OutboxScenario<>(fixture);
    }

    @AfterEach
    final void close() {
        scenario.close();
        fixture.close();
    }

    /** Returns the scenario of the test. Used by the parts of a contract only. */
    public final OutboxScenario<T> given() {
        return scenario;
    }
}
