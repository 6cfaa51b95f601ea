package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.memory.InMemoryLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the engine's calls to its store and to its listeners. */
@Timeout(60)
final class HierarchicalLocksTest {
    private static final LockRequest ACCOUNT = LockRequest.exclusive(LockTarget.account("u1", "a1"));

    private final InMemoryLockStore memory = InMemoryLockStore.create();
    private final CallStore store = new CallStore(memory);
    private final Told told = new Told();
    private final HierarchicalLocks<Transaction> locks =
            HierarchicalLocks.builder(store).listener(told).build();

    @AfterEach
    void close() {
        locks.close();
        memory.close();
    }

    @Test
    void an_uncontended_handle_takes_four_calls() throws Exception {
        locks.acquire(ACCOUNT).close();
        assertThat(store.calls).containsExactly("begin", "tryLock 2", "commit", "end");
        assertThat(told.events).containsExactly("acquired u1/a1 2 false", "released u1/a1");
    }

    @Test
    void locks_that_an_owner_holds_are_not_requested_again() throws Exception {
        try (LockHandle handle = locks.acquire(ACCOUNT)) {
            store.calls.clear();
            handle.acquire(LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1")));
            handle.acquire(LockRequest.shared(LockTarget.user("u1")));
            assertThat(store.calls).isEmpty();
            assertThat(told.events).endsWith("acquired u1/a1/r1 0 false", "acquired u1 (shared) 0 false");
        }
    }

    @Test
    void closing_the_locks_takes_them_from_handles_and_notifies_them() throws Exception {
        LockHandle handle = locks.acquire(ACCOUNT);
        locks.close();
        List<PlannedLock> plan = LockPlan.of(ACCOUNT, memory.space()).locks();
        assertThat(memory.tryLock(memory.begin(), plan).count()).isEqualTo(2);
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(() -> handle.acquire(LockRequest.exclusive(LockTarget.user("u2"))))
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(told.events).endsWith("lost u1/a1");
    }

    @Test
    void a_lock_that_is_kept_after_a_task_is_released_when_the_locks_are_closed() {
        TaskLock task = TaskLock.named("report", Duration.ofHours(1), Duration.ofMinutes(30));
        assertThat(locks.runOnce(task, LockHandle::epoch)).isTrue();
        assertThat(locks.runOnce(task, LockHandle::epoch)).isFalse();
        locks.close();
        assertThat(told.events).endsWith("failed tasks/report LockBusyException", "released tasks/report");
    }

    @Test
    void a_thread_waits_for_a_lock_that_is_kept_after_its_task() throws Exception {
        TaskLock task = TaskLock.named("report", Duration.ofHours(1), Duration.ofMillis(100));
        assertThat(locks.runOnce(task, LockHandle::epoch)).isTrue();
        locks.acquire(LockRequest.exclusive(task.target())).close();
        assertThat(told.events).contains("acquired tasks/report 2 true");
    }

    @Test
    void a_task_is_not_run_by_an_interrupted_thread() {
        Thread.currentThread().interrupt();
        TaskLock task = TaskLock.named("report", Duration.ofHours(1), Duration.ZERO);
        assertThat(locks.runOnce(task, LockHandle::epoch)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void the_limits_of_a_task_are_checked() {
        assertThatThrownBy(() -> TaskLock.named("report", Duration.ofSeconds(1), Duration.ofSeconds(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("atLeastFor is 2 s, must not be longer than atMostFor, 1 s");
        assertThatThrownBy(() -> TaskLock.named("report", Duration.ZERO, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("atMostFor");
    }

    @Test
    void an_interrupt_before_the_first_lock_is_one() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> locks.acquire(ACCOUNT)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(store.calls).endsWith("end");
    }

    @Test
    void trying_never_waits_in_the_store() throws Exception {
        try (LockHandle holder = locks.acquire(ACCOUNT)) {
            store.calls.clear();
            assertThat(locks.tryAcquire(ACCOUNT)).isEmpty();
            assertThat(store.calls).containsExactly("begin", "tryLock 2", "rollback", "end");
            assertThat(told.events).endsWith("failed u1/a1 LockBusyException");
        }
    }

    @Test
    void only_what_could_not_be_had_at_once_is_waited_for() throws Exception {
        try (LockHandle holder = locks.acquire(ACCOUNT)) {
            store.calls.clear();
            assertThatThrownBy(() -> locks.acquire(
                            LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1")),
                            LockWait.atMost(Duration.ofMillis(5))))
                    .isInstanceOf(LockTimeoutException.class);
            assertThat(store.calls).containsExactly("begin", "tryLock 3", "lock 2", "rollback", "end");
            assertThat(told.events).endsWith("waiting u1/a1/r1 1", "failed u1/a1/r1 LockTimeoutException");
        }
    }

    @Test
    void a_handle_that_failed_to_take_more_holds_nothing_and_says_so_once() throws Exception {
        LockTarget other = LockTarget.resource("u2", "a1", "r1");
        LockHandle handle = locks.acquire(LockRequest.shared(LockTarget.user("u2")));
        try (LockHandle holder = locks.acquire(LockRequest.exclusive(other))) {
            assertThatThrownBy(() -> handle.acquire(LockRequest.exclusive(other), LockWait.NONE))
                    .isInstanceOf(LockBusyException.class);
            assertThat(handle.isHeld()).isFalse();
            assertThatThrownBy(handle::epoch).isInstanceOf(LockLostException.class);
            assertThatThrownBy(() -> handle.acquire(ACCOUNT)).isInstanceOf(LockStoreException.class);
        }
        locks.tryAcquire(LockRequest.exclusive(LockTarget.user("u2")))
                .orElseThrow()
                .close();
        handle.close();
    }

    @Test
    void work_is_one_transaction() throws Exception {
        assertThat(locks.<String, RuntimeException>transact(ACCOUNT, transaction -> "done"))
                .isEqualTo("done");
        assertThat(store.calls).containsExactly("begin", "tryLock 2", "commit", "end");
    }

    @Test
    void a_transaction_that_is_run_again_keeps_its_turn() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        long before = memory.turns().next().number();
        assertThat(locks.<Integer, RuntimeException>transact(ACCOUNT, transaction -> deadlockUntil(3, runs)))
                .isEqualTo(3);
        assertThat(memory.turns().next().number()).as("after one call").isEqualTo(before + 2);
    }

    @Test
    void a_transaction_is_not_run_again_when_its_locks_are_closed() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> locks.transact(ACCOUNT, transaction -> {
                    locks.close();
                    return deadlockUntil(3, runs);
                }))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("this HierarchicalLocks is closed");
        assertThat(runs).hasValue(1);
        assertThat(store.calls).endsWith("begin", "end");
    }

    private static int deadlockUntil(int last, AtomicInteger runs) {
        int run = runs.incrementAndGet();
        if (run < last) {
            throw new LockDeadlockException("run " + run, null);
        }
        return run;
    }

    @Test
    void the_default_wait_is_that_of_calls_that_name_none() throws Exception {
        try (HierarchicalLocks<Transaction> impatient = HierarchicalLocks.builder(store)
                        .defaultWait(LockWait.NONE)
                        .build();
                LockHandle holder = locks.acquire(ACCOUNT)) {
            assertThatThrownBy(() -> impatient.acquire(ACCOUNT)).isInstanceOf(LockBusyException.class);
            assertThatThrownBy(() -> impatient.in(memory.begin()).acquire(ACCOUNT))
                    .isInstanceOf(LockBusyException.class);
            assertThatThrownBy(() -> impatient.transact(ACCOUNT, transaction -> "never"))
                    .isInstanceOf(LockBusyException.class);
        }
    }

    @Test
    void options_that_make_no_sense_are_refused() {
        assertThatThrownBy(() -> HierarchicalLocks.builder(store).attempts(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempts is 0, must be 1 to 100");
        assertThatThrownBy(() -> HierarchicalLocks.builder(store)
                        .reportInterval(Duration.ZERO)
                        .build())
                .hasMessageContaining("reportInterval is 0 s");
        assertThatThrownBy(() -> HierarchicalLocks.builder(store)
                        .warnAfter(Duration.ofDays(-1))
                        .build())
                .hasMessageContaining("warnAfter");
        assertThatThrownBy(() -> HierarchicalLocks.builder(store).process(" ").build())
                .hasMessageContaining("process is ' '");
    }

    private static final class CallStore extends ForwardingLockStore<Transaction> {
        final List<String> calls = new ArrayList<>();

        CallStore(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public Transaction begin(LockDeadline deadline) throws InterruptedException {
            calls.add("begin");
            return super.begin(deadline);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            calls.add("tryLock " + locks.size());
            return super.tryLock(transaction, locks);
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            calls.add("lock " + locks.size());
            super.lock(transaction, locks, deadline);
        }

        @Override
        public void commit(Transaction transaction) {
            calls.add("commit");
            super.commit(transaction);
        }

        @Override
        public void rollback(Transaction transaction) {
            calls.add("rollback");
            super.rollback(transaction);
        }

        @Override
        public void end(Transaction transaction) {
            calls.add("end");
            super.end(transaction);
        }
    }

    private static final class Told implements LockListener {
        final List<String> events = new ArrayList<>();

        @Override
        public void waiting(LockRequest request, PlannedLock next) {
            events.add("waiting " + request + " " + next.key().level());
        }

        @Override
        public void acquired(LockRequest request, int taken, Duration took, boolean waited) {
            events.add("acquired " + request + " " + taken + " " + waited);
        }

        @Override
        public void lost(LockRequest held, Duration heldFor) {
            events.add("lost " + held);
        }

        @Override
        public void failed(LockRequest request, LockException failure, Duration took) {
            events.add("failed " + request + " " + failure.getClass().getSimpleName());
        }

        @Override
        public void released(LockRequest held, Duration heldFor) {
            events.add("released " + held);
        }
    }
}
