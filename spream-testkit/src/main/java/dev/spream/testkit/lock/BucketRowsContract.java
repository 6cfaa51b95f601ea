package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of a store that locks rows, in addition to {@link LockStoreContract}: a missing row is an error and is
 * not treated as locked.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class BucketRowsContract<T> {
    private static final LockTarget RESOURCE = LockTarget.resource("u1", "a1", "r1");
    private static final LockKey ACCOUNT_KEY = LockScenario.WIDE.keyOf(LockTarget.account("u1", "a1"));

    private BucketRowsFixture<T> fixture;
    private LockScenario<T> scenario;

    /** Returns a fixture over a namespace in which nothing was ever locked. */
    protected abstract BucketRowsFixture<T> createFixture() throws Exception;

    @BeforeEach
    public final void openStore() throws Exception {
        fixture = createFixture();
        scenario = new LockScenario<>(fixture);
    }

    @AfterEach
    public final void closeStore() {
        scenario.close();
        fixture.close();
    }

    @Test
    public void a_bucket_without_a_row_is_an_error_that_names_it_and_leaves_nothing_held() throws Exception {
        scenario.locks().acquire(LockRequest.exclusive(RESOURCE)).close();
        fixture.removeBucket(ACCOUNT_KEY);
        for (LockRequest request : new LockRequest[] {LockRequest.exclusive(RESOURCE), LockRequest.shared(RESOURCE)}) {
            assertThatThrownBy(() -> scenario.locks().acquire(request))
                    .isInstanceOf(BucketsNotProvisionedException.class)
                    .hasMessageContaining(ACCOUNT_KEY.toString());
        }
        scenario.others()
                .tryAcquire(LockRequest.exclusive(LockTarget.user("u1")))
                .orElseThrow()
                .close();
    }

    @Test
    public void a_bucket_that_is_missing_behind_one_that_is_waited_for_is_an_error_too() throws Exception {
        scenario.locks().acquire(LockRequest.exclusive(RESOURCE)).close();
        LockHandle holder = scenario.locks().acquire(LockRequest.exclusive(LockTarget.user("u1")));
        String session = scenario.session();
        fixture.removeBucket(ACCOUNT_KEY);
        try (LockAttempt<LockHandle> waiter =
                scenario.attempt(() -> scenario.others().acquire(LockRequest.exclusive(RESOURCE)))) {
            waiter.requireBlockedBy(session);
            holder.close();
            if (!(waiter.failure() instanceof BucketsNotProvisionedException)) {
                throw new AssertionError("not the error of a missing bucket", waiter.failure());
            }
        }
    }
}
