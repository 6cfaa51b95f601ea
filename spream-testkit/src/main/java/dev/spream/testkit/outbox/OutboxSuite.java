package dev.spream.testkit.outbox;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The base of the contracts of an outbox: each test has a fixture of its own. A store keeps all of a contract: no test
 * can be declined. The tests are in the interfaces that a contract implements, by subject.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class OutboxSuite<T> {
    private OutboxFixture<T> fixture;
    private OutboxScenario<T> scenario;

    /** A fixture over an outbox and a ledger in which nothing was ever stored. */
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

    /** What the parts of a contract see; part of them, and not for others. */
    public final OutboxScenario<T> given() {
        return scenario;
    }
}
