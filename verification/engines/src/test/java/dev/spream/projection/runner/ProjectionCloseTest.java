package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.event.ContractBreakers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Feeds that do not close as they should. */
@Timeout(60)
final class ProjectionCloseTest {
    private static final StorageException FAILURE = new StorageException("a test wants it", true, null);

    private final ManagerBench bench = new ManagerBench();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayClose = new CountDownLatch(1);

    @AfterEach
    void stop() {
        mayClose.countDown();
        bench.close();
    }

    /** Twenty times as fast as the system's. */
    private enum FastTime implements MonotonicTime {
        INSTANCE;

        private static final int TIMES = 20;

        @Override
        public long nanoTime() {
            return TIMES * System.nanoTime();
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(nanoTime());
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // the caller's part
        public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
            return TIMES * condition.awaitNanos(nanos / TIMES);
        }
    }

    /** The source of the bench, whose feeds do that as well when they are closed. */
    private EventSource closing(Runnable also) {
        return ContractBreakers.of(
                EventSource.class,
                bench.source,
                "open",
                (source, arguments) -> ContractBreakers.of(
                        EventFeed.class, source.open((FeedRequest) arguments[0]), "close", (feed, none) -> {
                            feed.close();
                            begun.countDown();
                            also.run();
                            return null;
                        }));
    }

    private void hang() {
        boolean interrupted = false;
        while (mayClose.getCount() > 0) {
            try {
                mayClose.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Running start(EventSource bad) {
        return start(bad, FastTime.INSTANCE);
    }

    private Running start(EventSource bad, MonotonicTime time) {
        Running running = bench.start(
                bench.database.store(),
                builder -> builder.options(ManagerBench.OPTIONS.withLease(ProjectionOptions.MAX_LEASE))
                        .time(time, InstantSource.system())
                        .add(new Balances("bad"), bad)
                        .add(new Balances("healthy"), bench.source));
        bench.await(
                "everything read",
                () -> running.manager().views().stream()
                        .allMatch(view -> view.lagEvents().orElse(1) == 0));
        return running;
    }

    private void awaitPaused() {
        assertThat(bench.operations.pause("bad", ManagerBench.ACT)).isTrue();
        bench.await("a feed closed", () -> begun.getCount() == 0);
    }

    @Test
    void a_feed_that_fails_at_its_close_does_not_block_other_projections() {
        Running running = start(closing(() -> {
            throw FAILURE;
        }));
        awaitPaused();
        Accounts.append(bench.events, "account-1", 1, 2, 3);
        bench.awaitBalances("healthy");
        assertThat(bench.operations.resume("bad", ManagerBench.ACT)).isTrue();
        bench.awaitBalances("bad");
        assertThat(running.run().isDone()).isFalse();
    }

    @Test
    void a_feed_that_is_slow_to_close_holds_up_its_projection_alone_and_is_waited_for() {
        Running running = start(closing(this::hang));
        awaitPaused();
        assertThat(bench.operations.resume("bad", ManagerBench.ACT)).isTrue();
        Accounts.append(bench.events, "account-1", 1, 2, 3);
        bench.awaitBalances("healthy");
        assertThat(bench.balances("bad")).isEmpty();
        mayClose.countDown();
        bench.awaitBalances("bad");
        assertThat(running.run().isDone()).isFalse();
    }

    @Test
    void a_feed_that_does_not_close_holds_up_neither_views_nor_the_end_of_the_manager() throws Exception {
        Running running = start(closing(this::hang));
        FutureTask<Void> close = new FutureTask<>(running.manager()::close, null);
        Thread.startVirtualThread(close);
        bench.await("a feed closing", () -> begun.getCount() == 0);
        FutureTask<List<ProjectionView>> views = new FutureTask<>(running.manager()::views);
        Thread.startVirtualThread(views);
        assertThat(views.get(20, TimeUnit.SECONDS)).hasSize(2);
        running.join();
        close.get(20, TimeUnit.SECONDS);
    }

    @Test
    void a_shutdown_ends_within_its_timeout_although_a_feed_does_not_close() throws Exception {
        Running running = start(closing(this::hang), MonotonicTime.SYSTEM);
        long startedAt = System.nanoTime();
        assertThat(running.manager().shutdown(Duration.ofSeconds(2))).isFalse();
        running.join();
        assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void a_close_after_a_shutdown_does_not_put_its_end_off() throws Exception {
        Running running = start(closing(this::hang), MonotonicTime.SYSTEM);
        long startedAt = System.nanoTime();
        Thread.startVirtualThread(() -> running.manager().shutdown(Duration.ZERO));
        bench.await("a feed closing", () -> begun.getCount() == 0);
        running.manager().close();
        running.join();
        assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(8));
    }
}
