package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several managers of one projection, and what stops all of them. */
final class ProjectionSegmentTest {
    private final ManagerBench bench = new ManagerBench();

    @AfterEach
    void stop() {
        bench.close();
    }

    private void appendMany() {
        for (int round = 0; round < 5; round++) {
            for (int account = 0; account < 40; account++) {
                Accounts.append(bench.events, "account-" + account, round);
            }
        }
    }

    private static int held(Running running) {
        return running.manager().views().getFirst().segmentsHeld();
    }

    private static ProjectionView view(Running running) {
        return running.manager().views().getFirst();
    }

    private static boolean waitsFor(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void managers_share_the_segments_and_one_that_leaves_gives_them_up() throws Exception {
        appendMany();
        Running first = bench.startWithLongLease(new Balances("balances"));
        bench.await("all segments", () -> held(first) == 4);
        Running second = bench.startWithLongLease(new Balances("balances"));
        bench.await("half of the segments each", () -> held(first) == 2 && held(second) == 2);
        appendMany();
        bench.awaitBalances("balances");
        first.stop();
        bench.await("all segments", () -> held(second) == 4);
        appendMany();
        bench.awaitBalances("balances");
        assertThat(bench.told.all(RecordingProjectionListener.Told.Lost.class)).isEmpty();
    }

    @Test
    void a_manager_that_is_cut_off_is_followed_and_writes_nothing_any_more() {
        FaultyProjectionStore cut = new FaultyProjectionStore(bench.database.store());
        Running first = bench.start(cut, builder -> builder.add(new Balances("balances"), bench.source));
        appendMany();
        bench.awaitBalances("balances");
        cut.cut();
        appendMany();
        Running second = bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
        assertThat(held(first)).isZero();
        assertThat(held(second)).isEqualTo(4);
        int before = cut.calls.get();
        appendMany();
        bench.awaitBalances("balances");
        assertThat(cut.calls.get()).isEqualTo(before);
        cut.heal();
        bench.await("half of the segments", () -> held(first) == 2);
        appendMany();
        bench.awaitBalances("balances");
    }

    @Test
    void a_transaction_is_interrupted_when_the_lease_is_over() {
        FaultyProjectionStore cut = new FaultyProjectionStore(bench.database.store());
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicBoolean hang = new AtomicBoolean(true);
        bench.start(
                cut,
                builder -> builder.add(
                        new Balances("balances").failing(event -> {
                            if (hang.compareAndSet(true, false)) {
                                reached.countDown();
                                try {
                                    new CountDownLatch(1).await();
                                } catch (InterruptedException e) {
                                    interrupted.countDown();
                                    throw e;
                                }
                            }
                        }),
                        bench.source));
        appendMany();
        assertThat(waitsFor(reached)).isTrue();
        cut.cut();
        assertThat(waitsFor(interrupted)).isTrue();
        bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
    }

    @Test
    void pausing_stops_every_manager_and_resuming_starts_it() {
        bench.start(new Balances("balances"), new Balances("other"));
        bench.start(new Balances("balances"), new Balances("other"));
        appendMany();
        bench.awaitBalances("balances");
        assertThat(bench.operations.pause("balances", ManagerBench.ACT)).isTrue();
        Map<String, Accounts.Balance> before = bench.balances("balances");
        appendMany();
        bench.awaitBalances("other");
        assertThat(bench.balances("balances")).isEqualTo(before);
        bench.await(
                "the listener told",
                () -> bench.told
                        .all(RecordingProjectionListener.Told.Status.class)
                        .contains(new RecordingProjectionListener.Told.Status("balances", ProjectionStatus.PAUSED)));
        assertThat(bench.balances("balances")).isEqualTo(before);
        assertThat(bench.operations.resume("balances", ManagerBench.ACT)).isTrue();
        bench.awaitBalances("balances");
    }

    @Test
    void a_pause_that_ends_before_it_is_noticed_loses_nothing() {
        bench.start(new Balances("balances"));
        for (int i = 0; i < 20; i++) {
            appendMany();
            bench.operations.pause("balances", ManagerBench.ACT);
            bench.operations.resume("balances", ManagerBench.ACT);
        }
        bench.awaitBalances("balances");
    }

    @Test
    void shutting_down_commits_what_is_being_applied() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Running running = bench.start(new Balances("balances").failing(event -> {
            reached.countDown();
            assertThat(release.await(30, TimeUnit.SECONDS)).isTrue();
        }));
        Accounts.append(bench.events, "account-1", 5);
        assertThat(waitsFor(reached)).isTrue();
        Thread stopper = Thread.ofVirtual().start(() -> running.manager().shutdown(Duration.ofSeconds(30)));
        bench.await("waiting", () -> stopper.getState() == Thread.State.TIMED_WAITING);
        release.countDown();
        running.join();
        bench.awaitBalances("balances");
        assertThat(bench.details("balances").segments())
                .allMatch(segment -> segment.owner().isEmpty());
    }

    @Test
    void closing_interrupts_what_is_being_applied_and_it_is_rolled_back() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        Running running = bench.start(new Balances("balances").failing(event -> {
            reached.countDown();
            new CountDownLatch(1).await();
        }));
        Accounts.append(bench.events, "account-1", 5, 6);
        assertThat(waitsFor(reached)).isTrue();
        running.manager().close();
        running.join();
        assertThat(bench.balances("balances")).isEmpty();
        assertThat(bench.parked("balances")).isEmpty();
        bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
    }

    @Test
    void a_projection_that_shuts_its_manager_down_does_not_wait_for_itself() throws Exception {
        Running[] running = new Running[1];
        CountDownLatch started = new CountDownLatch(1);
        running[0] = bench.start(new Balances("balances").failing(event -> {
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(running[0].manager().shutdown(Duration.ofSeconds(30))).isFalse();
        }));
        started.countDown();
        Accounts.append(bench.events, "account-1", 5);
        running[0].join();
        bench.awaitBalances("balances");
    }

    @Test
    void another_number_of_segments_than_the_stored_one_does_not_count() {
        bench.database.register("balances", 2);
        appendMany();
        Running running = bench.start(
                bench.database.store(),
                builder -> builder.add(new Balances("balances"), bench.source, ManagerBench.OPTIONS.withSegments(8)));
        bench.awaitBalances("balances");
        assertThat(held(running)).isEqualTo(2);
    }

    @Test
    void no_projection_starts_if_one_of_them_had_no_positions() {
        bench.database.register("bad", 0);
        appendMany();
        Running running = bench.start(new Balances("good"), new Balances("bad"));
        assertThatThrownBy(running::join)
                .cause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'bad'", "without positions");
        assertThat(bench.operations.show("good")).isEmpty();
    }

    @Test
    void segments_change_while_managers_run_and_every_event_counts_once() throws Exception {
        Balances first = new Balances("balances");
        Balances second = new Balances("balances");
        Running one = bench.startWithLongLease(first);
        Running other = bench.startWithLongLease(second);
        for (int segments : new int[] {8, 2, 16}) {
            appendMany();
            bench.await(
                    "split into " + segments,
                    () -> bench.operations.show("balances").isPresent()
                            && bench.operations.split("balances", segments, ManagerBench.ACT));
            appendMany();
            bench.await("segments shared", () -> held(one) == segments / 2 && held(other) == segments / 2);
        }
        bench.awaitBalances("balances");
        assertThat(bench.told.all(RecordingProjectionListener.Told.Lost.class)).isEmpty();
        assertThat(one.manager().views()).allMatch(view -> view.outage().isEmpty());
    }

    @Test
    void failures_of_released_segments_are_forgotten() {
        FailingSource failing = new FailingSource(bench.source, new StorageException("no such luck", true, null));
        Running first = bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), failing));
        bench.await("all segments failed", () -> failing.failed.size() == 4);
        Running second = bench.start(new Balances("balances"));
        bench.await("half of the segments each", () -> held(first) == 2 && held(second) == 2);
        assertThat(view(first).outage()).isPresent();
        failing.failure = Optional.empty();
        bench.await("no outage", () -> view(first).outage().isEmpty());
    }

    @Test
    void a_paused_projection_has_neither_an_outage_nor_a_lag() {
        FailingSource failing = new FailingSource(bench.source, new StorageException("no such luck", true, null));
        failing.failure = Optional.empty();
        Running running =
                bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), failing));
        appendMany();
        bench.awaitBalances("balances");
        bench.await("a lag that is known", () -> view(running).lagEvents().isPresent());
        bench.operations.pause("balances", ManagerBench.ACT);
        bench.await("no lag", () -> view(running).lagEvents().isEmpty());
        failing.failure = failing.given;
        bench.operations.resume("balances", ManagerBench.ACT);
        bench.await("an outage", () -> view(running).outage().isPresent());
        bench.operations.pause("balances", ManagerBench.ACT);
        bench.await("no outage", () -> view(running).outage().isEmpty());
        failing.failure = Optional.empty();
    }

    @Test
    void a_source_that_cannot_be_opened_says_why() {
        FailingSource failing = new FailingSource(
                bench.source, new IllegalArgumentException("no subscription is configured for 'balances'"));
        Running running =
                bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), failing));
        bench.await("an outage", () -> view(running).outage().isPresent());
        assertThat(view(running).outage().orElseThrow()).contains("no subscription is configured for 'balances'");
    }

    @Test
    void the_lag_in_events_is_that_of_the_segment_that_is_behind_most() {
        appendMany();
        CountDownLatch all = new CountDownLatch(ManagerBench.OPTIONS.segments());
        CountDownLatch release = new CountDownLatch(1);
        Running running = bench.start(new Balances("balances").failing(event -> {
            all.countDown();
            assertThat(release.await(30, TimeUnit.SECONDS)).isTrue();
        }));
        assertThat(waitsFor(all)).isTrue();
        assertThat(view(running).lagEvents()).hasValue(200);
        release.countDown();
        bench.awaitBalances("balances");
    }

    @Test
    void a_fatal_failure_from_before_a_resume_does_not_fail_the_projection_again() {
        CountDownLatch found = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        AtomicBoolean fixed = new AtomicBoolean();
        ForwardingProjectionStore<InMemoryProjectionStore.Transaction> late =
                new ForwardingProjectionStore<>(bench.database.store()) {
                    @Override
                    protected <V> V call(String operation, Callable<V> call) throws Exception {
                        return call.call();
                    }

                    @Override
                    public FailureKind failureKind(Exception failure) {
                        found.countDown();
                        assertThat(waitsFor(resumed)).isTrue();
                        return FailureKind.FATAL;
                    }
                };
        bench.start(
                late,
                builder -> builder.add(
                        new Balances("balances").failing(event -> {
                            if (!fixed.get()) {
                                throw new IllegalStateException("a table is missing");
                            }
                        }),
                        bench.source));
        appendMany();
        assertThat(waitsFor(found)).isTrue();
        assertThat(bench.operations.pause("balances", ManagerBench.ACT)).isTrue();
        fixed.set(true);
        assertThat(bench.operations.resume("balances", ManagerBench.ACT)).isTrue();
        long epoch = bench.details("balances").state().epoch();
        resumed.countDown();
        bench.awaitBalances("balances");
        assertThat(bench.details("balances").state().epoch()).isEqualTo(epoch);
    }

    @Test
    void parked_aggregates_are_retried_by_the_owner_of_their_segment() throws Exception {
        AtomicBoolean fixed = new AtomicBoolean();
        Balances.Hook hook = event -> {
            if (event.eventVersion() == 2 && !fixed.get()) {
                throw new ProjectionException(FailureKind.POISON, "a test wants it", null);
            }
        };
        Running first = bench.start(new Balances("balances").failing(hook));
        appendMany();
        bench.await(
                "all parked",
                () -> bench.operations.show("balances").isPresent()
                        && bench.parked("balances").size() == 40);
        first.stop();
        fixed.set(true);
        bench.start(new Balances("balances").failing(hook));
        bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
        bench.awaitBalances("balances");
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
    }
}
