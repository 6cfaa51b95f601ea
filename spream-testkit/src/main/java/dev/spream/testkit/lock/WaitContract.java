package dev.spream.testkit.lock;

import static dev.spream.testkit.lock.LockScenario.WIDE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of calls that do not wait, that wait with a limit, and that are interrupted. */
interface WaitContract<T> extends LockScenario.Stage<T> {
    LockWait BRIEFLY = LockWait.atMost(Duration.ofMillis(50));

    @Test
    default void try_lock_returns_at_once_and_holds_nothing_if_blocked() throws Exception {
        List<LockTarget> three = threeInOrder();
        try (LockHandle second = given().locks().acquire(LockRequest.exclusive(three.get(1)))) {
            assertThat(given().others().tryAcquire(LockRequest.exclusive(three)))
                    .isEmpty();
            requireFree(three.get(0), three.get(2));
        }
        requireFree(three.get(0), three.get(1), three.get(2));
    }

    @Test
    default void a_busy_lock_is_named_with_what_was_asked_for() throws Exception {
        LockTarget target = LockTarget.account("u1", "a1");
        try (LockHandle holder = given().locks().acquire(LockRequest.exclusive(target))) {
            assertThatThrownBy(() -> given().others().acquire(LockRequest.exclusive(target), LockWait.NONE))
                    .isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("u1/a1")
                    .hasMessageContaining(WIDE.keyOf(target).toString());
            assertThatThrownBy(() ->
                            given().others().acquire(LockRequest.exclusive(target), LockWait.until(Instant.EPOCH)))
                    .isInstanceOf(LockException.class);
        }
    }

    @Test
    default void a_timeout_at_the_second_of_three_locks_leaves_nothing_held() throws Exception {
        List<LockTarget> three = threeInOrder();
        try (LockHandle second = given().locks().acquire(LockRequest.exclusive(three.get(1)))) {
            assertThatThrownBy(() -> given().others().acquire(LockRequest.exclusive(three), BRIEFLY))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("u1/a1/r1");
            requireFree(three.get(0), three.get(2));
        }
        requireFree(three.get(0), three.get(1), three.get(2));
    }

    @Test
    default void a_timeout_in_a_transaction_of_the_callers_leaves_nothing_held_before_that_one_ends() throws Exception {
        List<LockTarget> three = threeInOrder();
        T own = fixture().beginOwn();
        try (LockHandle second = given().locks().acquire(LockRequest.exclusive(three.get(1)))) {
            assertThatThrownBy(() -> given().others().in(own).acquire(LockRequest.exclusive(three), BRIEFLY))
                    .isInstanceOf(LockTimeoutException.class);
            requireFree(three.get(0), three.get(2));
        } finally {
            fixture().endOwn(own);
        }
    }

    @Test
    default void a_deadline_counts_for_all_locks_of_a_call_together() throws Exception {
        List<LockTarget> three = threeInOrder();
        LockHandle first = given().locks().acquire(LockRequest.exclusive(three.get(0)));
        String holder = given().session();
        try (LockHandle second = given().locks().acquire(LockRequest.exclusive(three.get(1)));
                LockAttempt<LockHandle> attempt = given().attempt(() -> given().others()
                        .acquire(LockRequest.exclusive(three), LockWait.atMost(Duration.ofSeconds(2))))) {
            attempt.requireBlockedBy(holder);
            first.close();
            assertThat(attempt.failure()).isInstanceOf(LockTimeoutException.class);
            requireFree(three.get(0), three.get(2));
        }
    }

    @Test
    default void time_that_one_lock_has_taken_is_not_left_for_the_next() throws Exception {
        List<LockTarget> three = threeInOrder();
        LockHandle first = given().others().acquire(LockRequest.exclusive(three.get(0)));
        String holder = given().session();
        T own = fixture().beginOwn();
        AtomicLong nanos = new AtomicLong();
        LockDeadline hour =
                LockDeadline.start(LockWait.atMost(Duration.ofHours(1)), InstantSource.system(), nanos::get);
        try (LockHandle second = given().others().acquire(LockRequest.exclusive(three.get(1)));
                LockAttempt<Boolean> attempt = given().attempt(() -> lockAll(own, three, hour))) {
            attempt.requireBlockedBy(holder);
            nanos.set(Duration.ofHours(2).toNanos());
            first.close();
            assertThat(attempt.failure()).isInstanceOf(LockTimeoutException.class);
        } finally {
            fixture().endOwn(own);
        }
    }

    private boolean lockAll(T transaction, List<LockTarget> targets, LockDeadline deadline)
            throws InterruptedException {
        List<PlannedLock> locks =
                LockPlan.of(LockRequest.exclusive(targets), WIDE).locks();
        int taken = given().store().tryLock(transaction, locks).count();
        given().store().lock(transaction, locks.subList(taken, locks.size()), deadline);
        return true;
    }

    @Test
    default void a_deadline_is_kept_to() throws Exception {
        LockTarget target = LockTarget.user("u1");
        try (LockHandle holder = given().locks().acquire(LockRequest.exclusive(target))) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> given().others()
                            .acquire(LockRequest.exclusive(target), LockWait.atMost(Duration.ofMillis(300))))
                    .isInstanceOf(LockTimeoutException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(300), Duration.ofSeconds(15));
        }
    }

    @Test
    default void a_wait_that_is_long_enough_ends_with_the_locks() throws Exception {
        LockTarget target = LockTarget.user("u1");
        LockHandle holder = given().locks().acquire(LockRequest.exclusive(target));
        String session = given().session();
        try (LockAttempt<LockHandle> attempt = given().attempt(() ->
                given().others().acquire(LockRequest.exclusive(target), LockWait.atMost(Duration.ofMinutes(1))))) {
            attempt.requireBlockedBy(session);
            holder.close();
            attempt.result().close();
        }
        requireFree(target);
    }

    @Test
    default void an_interrupted_call_blocks_no_other() throws Exception {
        LockTarget user = LockTarget.user("u1");
        LockTarget account = LockTarget.account("u1", "a1");
        try (LockHandle reader = given().locks().acquire(LockRequest.shared(user))) {
            String session = given().session();
            try (LockAttempt<LockHandle> writer =
                    given().attempt(() -> given().others().acquire(LockRequest.exclusive(user)))) {
                writer.requireBlockedBy(session);
                writer.interrupt();
                assertThat(writer.failure()).isInstanceOf(InterruptedException.class);
                assertThat(fixture().blockersOf(writer.session())).isEmpty();
                requireFree(account);
            }
        }
        requireFree(user);
    }

    @Test
    default void an_interrupted_call_in_the_callers_transaction_holds_nothing_before_that_ends() throws Exception {
        List<LockTarget> three = threeInOrder();
        T own = fixture().beginOwn();
        try (LockHandle last = given().locks().acquire(LockRequest.exclusive(three.get(2)))) {
            String session = given().session();
            try (LockAttempt<Boolean> waiter = given().attempt(() -> {
                given().others().in(own).acquire(LockRequest.exclusive(three));
                return true;
            })) {
                waiter.requireBlockedBy(session);
                waiter.interrupt();
                assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
                requireFree(three.get(0), three.get(1));
            }
        } finally {
            fixture().endOwn(own);
        }
    }

    private void requireFree(LockTarget first, LockTarget... more) throws InterruptedException {
        given().locks()
                .tryAcquire(LockRequest.exclusive(first, more))
                .orElseThrow(() -> new AssertionError("one of these is still held"))
                .close();
    }

    static List<LockTarget> threeInOrder() {
        List<LockTarget> three = Stream.of("r1", "r2", "r3")
                .map(id -> LockTarget.resource("u1", "a1", id))
                .sorted(Comparator.comparing(WIDE::keyOf))
                .toList();
        assertThat(three).extracting(WIDE::keyOf).doesNotHaveDuplicates();
        return three;
    }
}
