package dev.spream.testkit.lock;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link LockStore}, and of {@link HierarchicalLocks} over it, as tests. Extend it in the tests of a
 * store; every test gets a fixture of its own. A store keeps the whole contract: no test is optional.
 *
 * <p>The tests are in the interfaces that this class implements, by subject. The database reports which session blocks
 * which.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class LockStoreContract<T>
        implements MatrixContract<T>,
                OrderContract<T>,
                WaitContract<T>,
                TransactionContract<T>,
                HandleContract<T>,
                WorkContract<T>,
                LockViewContract<T>,
                TaskContract<T>,
                FewHandlesContract<T>,
                CollisionContract<T> {
    private LockStoreFixture<T> fixture;
    private LockScenario<T> scenario;

    /** Returns a fixture over a namespace in which nothing was ever locked. */
    protected abstract LockStoreFixture<T> createFixture() throws Exception;

    @BeforeEach
    public final void openStore() throws Exception {
        fixture = createFixture();
        scenario = newScenario(fixture);
    }

    protected LockScenario<T> newScenario(LockStoreFixture<T> over) {
        return new LockScenario<>(over);
    }

    @AfterEach
    public final void closeStore() {
        scenario.close();
        fixture.close();
    }

    @Override
    public final LockScenario<T> given() {
        return scenario;
    }

    @Override
    public final LockStoreFixture<T> fixture() {
        return fixture;
    }
}
