package dev.spream.lock;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.memory.InMemoryLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handles that are acquired without blocking, and calls that are cancelled. */
@Timeout(60)
final class AsyncAcquireTest {
    private static final LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));
    private static final int CANCELLED = 2_000;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final InMemoryLockStore memory = InMemoryLockStore.create();
    private final HierarchicalLocks<Transaction> locks =
            HierarchicalLocks.builder(memory).listener(new Events()).build();

    private final class Events implements LockListener {
        @Override
        public void waiting(LockRequest request, PlannedLock next) {
            events.add("waiting");
        }

        @Override
        public void interrupted(LockRequest request, Duration took) {
            events.add("interrupted");
        }
    }

    @AfterEach
    void close() {
        locks.close();
        memory.close();
    }

    @Test
    void a_future_has_the_handle_when_the_holder_releases_the_locks() throws Exception {
        LockHandle holder = locks.acquire(USER);
        CompletableFuture<LockHandle> next = locks.acquireAsync(USER);
        assertThat(events.poll(30, SECONDS)).isEqualTo("waiting");
        assertThat(next).isNotDone();
        holder.close();
        try (LockHandle handle = next.get(30, SECONDS)) {
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void a_future_fails_as_the_call_does() throws Exception {
        try (LockHandle holder = locks.acquire(USER)) {
            assertThatThrownBy(() -> locks.acquireAsync(USER, LockWait.NONE).get(30, SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LockBusyException.class);
        }
        locks.close();
        assertThatThrownBy(() -> locks.acquireAsync(USER).get(30, SECONDS))
                .hasCauseInstanceOf(LockStoreException.class);
    }

    @Test
    void a_call_that_is_cancelled_or_late_waits_no_longer() throws Exception {
        try (LockHandle holder = locks.acquire(USER)) {
            CompletableFuture<LockHandle> cancelled = locks.acquireAsync(USER);
            assertThat(events.poll(30, SECONDS)).isEqualTo("waiting");
            assertThat(cancelled.cancel(false)).isTrue();
            assertThat(events.poll(30, SECONDS)).isEqualTo("interrupted");
            CompletableFuture<LockHandle> late = locks.acquireAsync(USER).orTimeout(1, SECONDS);
            assertThat(events.poll(30, SECONDS)).isEqualTo("waiting");
            assertThat(events.poll(30, SECONDS)).isEqualTo("interrupted");
            assertThat(late).isCompletedExceptionally();
        }
        locks.tryAcquire(USER).orElseThrow().close();
    }

    @Test
    void a_call_that_is_cancelled_while_it_gets_the_locks_holds_nothing() throws Exception {
        List<CompletableFuture<LockHandle>> futures = new ArrayList<>();
        for (int i = 0; i < CANCELLED; i++) {
            CompletableFuture<LockHandle> future = locks.acquireAsync(USER);
            for (int spin = 0; spin < i % 50 * 200; spin++) {
                Thread.onSpinWait();
            }
            if (!future.cancel(true)) {
                future.get().close();
            }
            futures.add(future);
        }
        assertThat(futures).anyMatch(CompletableFuture::isCancelled).anyMatch(future -> !future.isCancelled());
        locks.acquire(USER, LockWait.atMost(Duration.ofSeconds(30))).close();
    }
}
