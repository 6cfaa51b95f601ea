package dev.spream.testkit.lock;

import static dev.spream.testkit.lock.LockScenario.WIDE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockListener;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of a process with few connections and many waiting calls: a call for free targets still gets a
 * connection.
 */
interface FewHandlesContract<T> extends LockScenario.Stage<T> {
    LockWait SOON = LockWait.atMost(Duration.ofSeconds(30));
    LockWait LONG_ENOUGH = LockWait.atMost(Duration.ofSeconds(20));

    /** A process whose waiters are reported to the test. */
    final class Few<T> implements LockListener, AutoCloseable {
        final LockStore<T> store;
        final HierarchicalLocks<T> locks;
        private final int handles;
        private final Semaphore waiting = new Semaphore(0);

        Few(LockStoreFixture<T> fixture, int handles) {
            this.handles = handles;
            this.store = fixture.open(WIDE, handles);
            this.locks = HierarchicalLocks.builder(store).listener(this).build();
        }

        @Override
        public void waiting(LockRequest request, PlannedLock next) {
            waiting.release();
        }

        void requireOneMoreWaits() throws InterruptedException {
            assertThat(waiting.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        }

        void requireTakesWhatIsFree() throws InterruptedException {
            locks.acquire(user("free"), LONG_ENOUGH).close();
            assertThat(locks.<String, RuntimeException>transact(user("free"), LONG_ENOUGH, transaction -> "done"))
                    .isEqualTo("done");
        }

        void requireHasAllConnections() throws InterruptedException {
            List<LockHandle> all = new ArrayList<>();
            for (int i = 0; i < handles; i++) {
                all.add(locks.acquire(LockRequest.shared(LockTarget.user("free")), LONG_ENOUGH));
            }
            all.forEach(LockHandle::close);
            assertThat(waiting.availablePermits()).isZero();
        }

        @Override
        public void close() {
            locks.close();
            store.close();
        }
    }

    private static LockRequest user(String id) {
        return LockRequest.exclusive(LockTarget.user(id));
    }

    @Test
    default void calls_that_wait_for_one_lock_leave_connections_and_have_it_in_their_order() throws Exception {
        int calls = 20;
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<LockAttempt<Integer>> attempts = new ArrayList<>();
        try (Few<T> few = new Few<>(fixture(), 4)) {
            LockHandle holder = given().others().acquire(user("hot"));
            for (int call = 0; call < calls; call++) {
                int number = call;
                attempts.add(given().attempt(() -> lockHot(few, number, served)));
                few.requireOneMoreWaits();
            }
            few.requireTakesWhatIsFree();
            assertThat(served).isEmpty();
            holder.close();
            for (LockAttempt<Integer> attempt : attempts) {
                attempt.result();
            }
            assertThat(served)
                    .containsExactlyElementsOf(IntStream.range(0, calls).boxed().toList());
            few.requireHasAllConnections();
        }
    }

    /** Locks by a handle or in a transaction, and returns the number of times. */
    private static int lockHot(Few<?> few, int call, Queue<Integer> served) throws InterruptedException {
        if (call % 2 == 0) {
            try (LockHandle handle = few.locks.acquire(user("hot"))) {
                served.add(call);
            }
        } else {
            few.locks.<Boolean, RuntimeException>transact(user("hot"), transaction -> served.add(call));
        }
        return call;
    }

    @Test
    default void calls_that_wait_for_many_locks_leave_connections_and_take_turns() throws Exception {
        List<LockHandle> holders = new ArrayList<>();
        List<LockAttempt<LockHandle>> attempts = new ArrayList<>();
        try (Few<T> few = new Few<>(fixture(), 4)) {
            for (String hot : List.of("hot 1", "hot 2", "hot 3", "hot 4", "hot 5")) {
                holders.add(given().others().acquire(user(hot), LONG_ENOUGH));
                attempts.add(given().attempt(() -> few.locks.acquire(user(hot))));
                few.requireOneMoreWaits();
            }
            few.requireTakesWhatIsFree();
            for (int last = holders.size() - 1; last >= 0; last--) {
                holders.get(last).close();
                attempts.get(last).result().close();
            }
            few.requireHasAllConnections();
        }
    }

    @Test
    default void a_call_for_two_busy_locks_gets_through_among_calls_for_each() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        List<LockAttempt<Integer>> crowd = new ArrayList<>();
        try (Few<T> few = new Few<>(fixture(), 16)) {
            for (int call = 0; call < 20; call++) {
                crowd.add(given().attempt(() -> lockUntil(enough, few, user("hot 1"))));
                crowd.add(given().attempt(() -> lockUntil(enough, few, user("hot 2"))));
            }
            few.requireOneMoreWaits();
            LockRequest both = LockRequest.exclusive(LockTarget.user("hot 1"), LockTarget.user("hot 2"));
            for (int call = 0; call < 3; call++) {
                few.locks.acquire(both, SOON).close();
            }
        } finally {
            enough.set(true);
        }
        for (LockAttempt<Integer> attempt : crowd) {
            attempt.close();
        }
    }

    private static int lockUntil(AtomicBoolean enough, Few<?> few, LockRequest request) throws InterruptedException {
        int times = 0;
        while (!enough.get()) {
            try (LockHandle handle = few.locks.acquire(request)) {
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos()); // simulated work
            }
            times++;
        }
        return times;
    }

    @Test
    default void queued_calls_get_a_lock_that_is_freed_while_others_wait_long() throws Exception {
        List<LockAttempt<LockHandle>> attempts = new ArrayList<>();
        LockDeadline deadline = LockDeadline.start(SOON, InstantSource.system());
        try (Few<T> few = new Few<>(fixture(), 4)) {
            for (String hot : List.of("hot 1", "hot 2")) {
                LockHandle ignored = given().others().acquire(user(hot));
                attempts.add(given().attempt(() -> few.locks.acquire(user(hot))));
                few.requireOneMoreWaits();
            }
            for (int call = 0; call < 9; call++) {
                LockHandle brief = given().others().acquire(user("brief"));
                LockAttempt<LockHandle> queued = given().attempt(() -> few.locks.acquire(
                        user("brief"), LockWait.atMost(deadline.left().orElseThrow())));
                few.requireOneMoreWaits();
                brief.close();
                queued.result().close();
            }
            few.locks.close();
            for (LockAttempt<LockHandle> attempt : attempts) {
                assertThat(attempt.failure()).isInstanceOf(LockException.class).hasMessageContaining("closed");
            }
        }
    }

    @Test
    default void calls_that_wait_end_when_their_locks_are_closed_and_others_do_not() throws Exception {
        List<LockAttempt<LockHandle>> attempts = new ArrayList<>();
        try (Few<T> few = new Few<>(fixture(), 4);
                HierarchicalLocks<T> sameStore = HierarchicalLocks.over(few.store)) {
            LockHandle holder = given().others().acquire(user("hot"));
            for (int call = 0; call < 5; call++) {
                attempts.add(given().attempt(() -> few.locks.acquire(user("hot"))));
                few.requireOneMoreWaits();
            }
            LockAttempt<LockHandle> other = given().attempt(() -> sameStore.acquire(user("hot"), LONG_ENOUGH));
            few.locks.close();
            for (LockAttempt<LockHandle> attempt : attempts) {
                assertThat(attempt.failure())
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("closed");
            }
            holder.close();
            other.result().close();
        }
    }

    @Test
    default void a_call_that_waits_with_the_only_connection_gives_it_to_one_that_does_not() throws Exception {
        try (Few<T> few = new Few<>(fixture(), 1)) {
            LockHandle holder = given().others().acquire(user("hot"));
            try (LockAttempt<LockHandle> waiter = given().attempt(() -> few.locks.acquire(user("hot")))) {
                few.requireOneMoreWaits();
                few.requireTakesWhatIsFree();
                holder.close();
                waiter.result().close();
            }
            few.requireHasAllConnections();
        }
    }

    @Test
    default void a_try_that_finds_no_connection_is_empty_and_holds_nothing() throws Exception {
        try (Few<T> few = new Few<>(fixture(), 1);
                LockHandle only = few.locks.acquire(user("u1"))) {
            assertThat(few.locks.tryAcquire(user("free"))).isEmpty();
            try (LockAttempt<Boolean> ofAnotherThread =
                    given().attempt(() -> few.locks.tryAcquire(user("free")).isEmpty())) {
                assertThat(ofAnotherThread.result()).isTrue();
            }
            given().others().tryAcquire(user("free")).orElseThrow().close();
            only.requireHeld();
        }
    }

    @Test
    default void a_call_that_is_queued_ends_with_its_deadline_an_interrupt_and_its_store() throws Exception {
        try (Few<T> few = new Few<>(fixture(), 2);
                LockHandle holder = given().others().acquire(user("hot"))) {
            try (LockAttempt<LockHandle> first = given().attempt(() -> few.locks.acquire(user("hot")))) {
                few.requireOneMoreWaits();
                LockWait longEnoughToWait = LockWait.atMost(Duration.ofSeconds(1)); // even on a busy machine
                try (LockAttempt<LockHandle> brief =
                                given().attempt(() -> few.locks.acquire(user("hot"), longEnoughToWait));
                        LockAttempt<LockHandle> interrupted = given().attempt(() -> few.locks.acquire(user("hot")))) {
                    few.requireOneMoreWaits();
                    few.requireOneMoreWaits();
                    assertThat(brief.failure())
                            .isInstanceOf(LockTimeoutException.class)
                            .hasMessageContaining("hot");
                    interrupted.interrupt();
                    assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
                }
                first.interrupt();
                assertThat(first.failure()).isInstanceOf(InterruptedException.class);
            }
            few.requireHasAllConnections();
            requireEndedByTheStore(few);
            assertThat(holder.isHeld()).isTrue();
        }
    }

    private void requireEndedByTheStore(Few<T> few) throws Exception {
        List<LockAttempt<LockHandle>> attempts = new ArrayList<>();
        for (int call = 0; call < 3; call++) {
            attempts.add(given().attempt(() -> few.locks.acquire(user("hot"))));
            few.requireOneMoreWaits();
        }
        few.store.close();
        for (LockAttempt<LockHandle> attempt : attempts) {
            assertThat(attempt.failure()).isInstanceOf(LockException.class);
        }
    }
}
