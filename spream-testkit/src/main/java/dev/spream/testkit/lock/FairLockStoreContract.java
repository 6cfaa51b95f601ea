package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of a fair store, in addition to {@link LockStoreContract}: a later call waits behind an earlier one. A
 * store that is not fair does not extend it.
 *
 * @param <T> a transaction of the store
 */
@Timeout(60)
public abstract class FairLockStoreContract<T> {
    private static final LockTarget USER = LockTarget.user("u1");
    private static final int READERS = 4;

    private LockStoreFixture<T> fixture;
    private LockScenario<T> scenario;

    /** Returns a fixture over a namespace in which nothing was ever locked. */
    protected abstract LockStoreFixture<T> createFixture() throws Exception;

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
    public void readers_that_come_while_a_writer_waits_wait_behind_it() throws Exception {
        LockHandle reader = scenario.locks().acquire(LockRequest.shared(USER));
        String readerSession = scenario.session();
        try (LockAttempt<LockHandle> writer =
                scenario.attempt(() -> scenario.others().acquire(LockRequest.exclusive(USER)))) {
            writer.requireBlockedBy(readerSession);
            List<LockAttempt<LockHandle>> late = lateReaders(writer.session());
            reader.close();
            LockHandle written = writer.result();
            for (LockAttempt<LockHandle> lateReader : late) {
                assertThat(lateReader.blockers()).containsExactly(writer.session());
            }
            written.close();
            for (LockAttempt<LockHandle> lateReader : late) {
                lateReader.result().close();
            }
        }
    }

    private List<LockAttempt<LockHandle>> lateReaders(String writer) throws Exception {
        List<LockAttempt<LockHandle>> late = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            LockAttempt<LockHandle> lateReader =
                    scenario.attempt(() -> scenario.locks().acquire(LockRequest.shared(USER)));
            late.add(lateReader);
            assertThat(lateReader.blockers()).contains(writer);
        }
        return late;
    }

    @Test
    public void trying_does_not_get_ahead_of_a_writer_that_waits() throws Exception {
        try (LockHandle reader = scenario.locks().acquire(LockRequest.shared(USER))) {
            String readerSession = scenario.session();
            try (LockAttempt<LockHandle> writer =
                    scenario.attempt(() -> scenario.others().acquire(LockRequest.exclusive(USER)))) {
                writer.requireBlockedBy(readerSession);
                assertThat(scenario.locks().tryAcquire(LockRequest.shared(USER)))
                        .isEmpty();
            }
        }
    }
}
