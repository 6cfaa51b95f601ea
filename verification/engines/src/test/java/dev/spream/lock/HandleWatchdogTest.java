package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.lock.LimitedLockStore;
import dev.spream.testkit.lock.LockScenario;
import dev.spream.testkit.memory.InMemoryLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the detection and log lines of idle handles. */
@Timeout(60)
final class HandleWatchdogTest {
    private static final LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    private final InMemoryLockStore memory = InMemoryLockStore.create(LockScenario.WIDE, Duration.ofMillis(30));
    private final ReportingStore store = new ReportingStore(memory);
    private final Losses losses = new Losses();
    private final HierarchicalLocks<Transaction> locks = HierarchicalLocks.builder(store)
            .reportInterval(Duration.ofMillis(5))
            .process("host/1")
            .label("rebuild")
            .listener(losses)
            .build();

    @AfterEach
    void close() {
        locks.close();
        memory.close();
    }

    @Test
    void a_loss_is_noticed_without_the_owner_and_told_once() throws Exception {
        LockHandle handle = locks.acquire(USER);
        memory.kill(store.lastSession);
        assertThat(losses.told.poll(30, TimeUnit.SECONDS)).isEqualTo(USER);
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThat(losses.told).isEmpty();
    }

    @Test
    void a_long_hold_is_reported_and_so_is_its_end() throws Exception {
        try (LockHandle handle = locks.acquire(USER)) {
            LockReport report = store.await(said -> !said.owners().isEmpty());
            assertThat(report.process()).isEqualTo("host/1");
            LockReport.Owner owner = report.owners().getFirst();
            assertThat(owner.session()).isEqualTo(store.lastSession);
            assertThat(owner.label()).isEqualTo("rebuild");
            assertThat(owner.held()).isEqualTo(USER.targets());
            assertThat(owner.wanted()).isEmpty();
            assertThat(owner.heldFor()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
        }
        assertThat(store.await(said -> said.owners().isEmpty()).process()).isEqualTo("host/1");
    }

    @Test
    void a_waiter_is_reported_and_its_wait_is_counted_for_the_key() throws Exception {
        LockHandle holder = locks.acquire(USER);
        Thread waiter = Thread.startVirtualThread(() -> {
            try {
                locks.acquire(LockRequest.shared(LockTarget.account("u1", "a1")))
                        .close();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        LockReport report = store.await(said -> said.owners().stream()
                .anyMatch(owner -> !owner.wanted().isEmpty() && owner.held().isEmpty()));
        assertThat(report.owners())
                .anySatisfy(owner -> assertThat(owner.wanted()).containsKey(LockTarget.account("u1", "a1")));
        holder.close();
        assertThat(waiter.join(Duration.ofSeconds(30))).isTrue();
        LockReport counted = store.await(said -> !said.waits().isEmpty());
        assertThat(counted.waits()).singleElement().satisfies(waits -> {
            assertThat(waits.key()).isEqualTo(LockScenario.WIDE.keyOf(LockTarget.user("u1")));
            assertThat(waits.waits()).isEqualTo(1);
            assertThat(waits.waited()).isPositive();
        });
    }

    @Test
    void calls_that_are_queued_are_reported_and_each_wait_is_counted_once() throws Exception {
        List<Boolean> waited = new CopyOnWriteArrayList<>();
        LockListener listener = new LockListener() {
            @Override
            public void acquired(LockRequest request, int taken, Duration took, boolean hadToWait) {
                waited.add(hadToWait);
            }
        };
        LockHandle holder = HierarchicalLocks.over(memory).acquire(USER);
        try (HierarchicalLocks<Transaction> few = HierarchicalLocks.builder(new LimitedLockStore<>(store, 2))
                        .reportInterval(Duration.ofMillis(5))
                        .listener(listener)
                        .build();
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int caller = 0; caller < 3; caller++) {
                Future<?> ignored = callers.submit(() -> {
                    few.acquire(USER).close();
                    return true;
                });
            }
            LockReport report = store.await(said -> said.owners().size() == 3
                    && said.owners().stream().filter(LockReport.Owner::isQueued).count() == 2);
            assertThat(report.owners()).allSatisfy(owner -> {
                assertThat(owner.wanted()).isEqualTo(USER.targets());
                assertThat(owner.held()).isEmpty();
            });
            holder.close();
            store.awaitWaits(3);
        }
        assertThat(waited).containsExactly(true, true, true);
    }

    @Test
    void a_failed_report_does_not_affect_locks_and_is_repeated() throws Exception {
        store.failing = true;
        try (LockHandle handle = locks.acquire(USER)) {
            assertThat(store.failed.poll(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(handle.isHeld()).isTrue();
            store.failing = false;
            assertThat(store.await(said -> !said.owners().isEmpty()).owners()).hasSize(1);
        }
    }

    @Test
    void closing_ends_the_handles_that_are_open_and_refuses_new_ones() throws Exception {
        LockHandle open = locks.acquire(USER);
        locks.close();
        assertThat(open.isHeld()).isFalse();
        assertThatThrownBy(open::close).isInstanceOf(LockLostException.class);
        try (HierarchicalLocks<Transaction> others = HierarchicalLocks.over(memory)) {
            others.tryAcquire(USER).orElseThrow().close();
        }
        assertThatThrownBy(() -> locks.acquire(USER))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> locks.in(memory.begin())).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> locks.transact(USER, transaction -> null)).isInstanceOf(LockStoreException.class);
    }

    private static final class Losses implements LockListener {
        final BlockingQueue<LockRequest> told = new LinkedBlockingQueue<>();

        @Override
        public void lost(LockRequest held, Duration heldFor) {
            told.add(held);
        }

        @Override
        public void acquired(LockRequest request, int taken, Duration took, boolean waited) {
            throw new IllegalStateException("a listener that fails changes nothing");
        }
    }

    private static final class ReportingStore extends ForwardingLockStore<Transaction> {
        final BlockingQueue<LockReport> reports = new LinkedBlockingQueue<>();
        final BlockingQueue<LockReport> failed = new LinkedBlockingQueue<>();
        volatile boolean failing;
        volatile String lastSession = "";

        ReportingStore(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public Transaction begin(LockDeadline deadline) throws InterruptedException {
            Transaction transaction = super.begin(deadline);
            lastSession = transaction.session();
            return transaction;
        }

        @Override
        public void report(LockReport report) {
            if (failing) {
                failed.add(report);
                throw new LockConnectionException("no report today", null);
            }
            reports.add(report);
        }

        /** All that are counted from now on. */
        void awaitWaits(long all) throws InterruptedException {
            long counted = 0;
            while (counted < all) {
                counted += await(said -> !said.waits().isEmpty()).waits().stream()
                        .mapToLong(LockReport.BucketWaits::waits)
                        .sum();
            }
            assertThat(counted).isEqualTo(all);
        }

        LockReport await(Predicate<LockReport> wanted) throws InterruptedException {
            LockReport report = reports.poll(30, TimeUnit.SECONDS);
            while (report != null && !wanted.test(report)) {
                report = reports.poll(30, TimeUnit.SECONDS);
            }
            if (report == null) {
                throw new AssertionError("no such report came");
            }
            return report;
        }
    }
}
