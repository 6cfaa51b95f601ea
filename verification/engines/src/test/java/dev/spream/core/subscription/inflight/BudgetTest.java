package dev.spream.core.subscription.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.subscription.Polling;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BudgetTest {

    private static CompletableFuture<Boolean> acquireInBackground(Budget.Share share, long size)
            throws InterruptedException {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                result.complete(share.acquire(size));
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        Polling.await(() -> result.isDone() || waiter.getState() == Thread.State.WAITING, waiter::getState);
        return result;
    }

    private static boolean get(CompletableFuture<Boolean> result) {
        return result.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void count_and_bytes_are_granted_together() throws InterruptedException {
        Budget budget = new Budget(3, 100);
        Budget.Share share = budget.open();
        assertThat(share.acquire(60)).isTrue();
        assertThat(share.acquire(40)).isTrue();

        CompletableFuture<Boolean> waiting = acquireInBackground(share, 1);
        assertThat(waiting)
                .as("there is room for a third change, and for no byte")
                .isNotDone();

        share.release(40);
        assertThat(get(waiting)).isTrue();
        assertThat(share.acquire(1)).isTrue();
        assertThat(acquireInBackground(share, 1))
                .as("there is room for bytes, and for no fourth change")
                .isNotDone();
    }

    @Test
    void a_share_without_bytes_is_granted_any_size() throws InterruptedException {
        Budget budget = new Budget(1, 10);

        assertThat(budget.open().acquire(1_000_000)).isTrue();
        assertThat(budget.open().acquire(1_000_000)).isTrue();
    }

    @Test
    void a_waiting_share_is_granted_once_its_own_bytes_are_released() throws InterruptedException {
        Budget budget = new Budget(1, 10);
        Budget.Share stuck = budget.open();
        assertThat(stuck.acquire(10)).isTrue();
        Budget.Share share = budget.open();
        assertThat(share.acquire(5)).isTrue();
        CompletableFuture<Boolean> waiting = acquireInBackground(share, 5);
        assertThat(waiting).isNotDone();

        share.release(5);

        assertThat(get(waiting)).isTrue();
    }

    @Test
    void a_large_one_that_waits_does_not_hold_up_small_ones_of_others() throws InterruptedException {
        Budget budget = new Budget(10, 100);
        Budget.Share large = budget.open();
        Budget.Share small = budget.open();
        assertThat(large.acquire(50)).isTrue();
        assertThat(small.acquire(10)).isTrue();
        CompletableFuture<Boolean> waiting = acquireInBackground(large, 90);

        assertThat(small.acquire(10)).isTrue();
        assertThat(waiting).isNotDone();

        small.close();
        assertThat(waiting).isNotDone();
        large.release(50);
        assertThat(get(waiting)).isTrue();
    }

    @Test
    void stopping_a_share_wakes_its_waiters_and_keeps_its_bytes() throws InterruptedException {
        Budget budget = new Budget(1, 10);
        Budget.Share share = budget.open();
        assertThat(share.acquire(5)).isTrue();
        CompletableFuture<Boolean> waiting = acquireInBackground(share, 5);

        share.stop();

        assertThat(get(waiting)).isFalse();
        assertThat(share.acquire(1)).isFalse();
        Budget.Share other = budget.open();
        assertThat(other.acquire(1)).isTrue();
        assertThat(acquireInBackground(other, 1)).isNotDone();
    }

    @Test
    void closing_a_share_gives_back_what_is_left_and_later_releases_do_no_harm() throws InterruptedException {
        Budget budget = new Budget(2, 10);
        Budget.Share closed = budget.open();
        assertThat(closed.acquire(5)).isTrue();
        closed.close();
        closed.release(5);
        closed.close();

        Budget.Share share = budget.open();
        assertThat(share.acquire(5)).isTrue();
        assertThat(share.acquire(5)).isTrue();
        assertThat(acquireInBackground(share, 1)).isNotDone();
    }

    @Test
    void many_partitions_together_stay_within_the_budget_and_one_each_and_all_come_through()
            throws InterruptedException {
        int partitions = 16;
        long size = 10;
        Budget budget = new Budget(20, 1_000);
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            Budget.Share share = budget.open();
            done.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            for (int i = 0; i < 500; i++) {
                                assertThat(share.acquire(size)).isTrue();
                                most.accumulateAndGet(held.incrementAndGet(), Math::max);
                                Thread.ofVirtual().start(() -> {
                                    held.decrementAndGet();
                                    share.release(size);
                                });
                            }
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    task -> Thread.ofVirtual().start(task)));
        }

        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        assertThat(most.get()).isLessThanOrEqualTo(20 + partitions);
    }
}
