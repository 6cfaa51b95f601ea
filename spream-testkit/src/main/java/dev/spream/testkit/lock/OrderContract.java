package dev.spream.testkit.lock;

import static dev.spream.testkit.lock.LockScenario.WIDE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of the order in which locks are taken, with deadlocks for comparison. */
interface OrderContract<T> extends LockScenario.Stage<T> {

    @Test
    default void two_transactions_with_reversed_locks_deadlock_and_one_fails() throws Exception {
        LockStore<T> store = given().store();
        PlannedLock low = new PlannedLock(new LockKey(2, 3), LockMode.EXCLUSIVE);
        PlannedLock high = new PlannedLock(new LockKey(2, 5), LockMode.EXCLUSIVE);
        T upwards = fixture().beginOwn();
        T downwards = fixture().beginOwn();
        assertThat(store.tryLock(upwards, List.of(low)).count()).isEqualTo(1);
        AcquiredLocks held = store.tryLock(downwards, List.of(high));
        assertThat(held.count()).isEqualTo(1);

        try (LockAttempt<Boolean> up = given().attempt(() -> deadlocks(store, upwards, high))) {
            up.requireBlockedBy(held.session());
            try (LockAttempt<Boolean> down = given().attempt(() -> deadlocks(store, downwards, low))) {
                assertThat(List.of(up.result(), down.result())).containsExactlyInAnyOrder(true, false);
            }
        } finally {
            fixture().endOwn(upwards);
            fixture().endOwn(downwards);
        }
    }

    private static <T> boolean deadlocks(LockStore<T> store, T transaction, PlannedLock lock)
            throws InterruptedException {
        try {
            int taken = store.tryLock(transaction, List.of(lock)).count();
            store.lock(transaction, List.of(lock).subList(taken, 1), LockDeadlines.FOREVER);
            return false;
        } catch (LockDeadlockException e) {
            assertThat(e.retryable()).isTrue();
            store.rollback(transaction);
            return true;
        }
    }

    @Test
    default void requests_that_name_targets_in_reversed_order_do_not_deadlock() throws Exception {
        List<LockTarget> up = resources(IntStream.range(0, 10));
        try (LockAttempt<Integer> first = given().attempt(() -> acquireOften(given().locks(), up));
                LockAttempt<Integer> second = given().attempt(() -> acquireOften(given().others(), up.reversed()))) {
            assertThat(first.result() + second.result()).isEqualTo(200);
        }
    }

    private static int acquireOften(HierarchicalLocks<?> locks, List<LockTarget> targets) throws InterruptedException {
        int acquired = 0;
        for (; acquired < 100; acquired++) {
            locks.acquire(LockRequest.exclusive(targets)).close();
        }
        return acquired;
    }

    @Test
    default void locks_are_taken_in_the_order_of_buckets_where_ids_have_another() throws Exception {
        // r1 and r3 share a bucket that comes after the one of r2, so in the order of ids {r1, r2} and {r2, r3}
        // deadlock.
        LockTarget second = resource(0);
        LockTarget first = resourceAfter(second);
        LockTarget third = resourceBeside(first);
        try (LockHandle holder = given().locks().acquire(LockRequest.exclusive(second))) {
            String session = given().session();
            try (LockAttempt<LockHandle> waiter =
                    given().attempt(() -> given().others().acquire(LockRequest.exclusive(first, second)))) {
                waiter.requireBlockedBy(session);
                try (LockHandle beside =
                        given().locks().tryAcquire(LockRequest.exclusive(third)).orElseThrow()) {
                    assertThat(waiter.blockers()).contains(session);
                }
                holder.close();
                waiter.result().close();
            }
        }
    }

    @Test
    default void a_set_of_hundreds_of_targets_is_locked_in_one_call() throws Exception {
        List<LockTarget> targets = resources(IntStream.range(0, 300));
        LockTarget alone = LockTarget.resource("u1", "a1", "r299");
        try (LockHandle handle = given().locks().acquire(LockRequest.exclusive(targets))) {
            assertThat(given().others().tryAcquire(LockRequest.exclusive(alone)))
                    .isEmpty();
        }
        try (LockHandle handle = given().others().acquire(LockRequest.exclusive(alone))) {
            assertThatThrownBy(() -> given().locks().acquire(LockRequest.exclusive(targets), LockWait.NONE))
                    .isInstanceOf(LockBusyException.class);
        }
        given().locks().tryAcquire(LockRequest.exclusive(targets)).orElseThrow().close();
    }

    private static LockTarget resource(int number) {
        return LockTarget.resource("u1", "a1", "r" + number);
    }

    private static List<LockTarget> resources(IntStream numbers) {
        return numbers.mapToObj(OrderContract::resource).toList();
    }

    private static LockTarget resourceAfter(LockTarget target) {
        return resources(IntStream.range(1, 10_000)).stream()
                .filter(other -> WIDE.keyOf(other).bucket() > WIDE.keyOf(target).bucket())
                .findFirst()
                .orElseThrow();
    }

    private static LockTarget resourceBeside(LockTarget target) {
        return resources(IntStream.range(1, 10_000)).stream()
                .filter(other -> !other.equals(target) && WIDE.keyOf(other).equals(WIDE.keyOf(target)))
                .findFirst()
                .orElseThrow();
    }
}
