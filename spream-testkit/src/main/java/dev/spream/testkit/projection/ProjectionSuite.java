package dev.spream.testkit.projection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The base of the contracts of projection stores: each test has a fixture of its own. A store keeps the whole contract:
 * no test is optional. The tests are in the interfaces that a contract implements, by subject.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class ProjectionSuite<T> implements ProjectionScenario.Stage<T> {
    private ProjectionStoreFixture<T> fixture;
    private ProjectionScenario<T> scenario;

    /** Returns a fixture over a database without projections. */
    protected abstract ProjectionStoreFixture<T> createFixture() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        fixture = createFixture();
        scenario = new ProjectionScenario<>(fixture);
    }

    @AfterEach
    final void close() {
        scenario.close();
        fixture.close();
    }

    /** Returns the scenario of the running test. */
    @Override
    public final ProjectionScenario<T> given() {
        return scenario;
    }
}
