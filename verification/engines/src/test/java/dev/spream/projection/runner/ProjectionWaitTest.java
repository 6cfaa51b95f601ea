package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.waiting.ProjectionWaiter;
import dev.spream.projection.waiting.WaitOutcome;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting until a projection has an event or a position. */
@Timeout(60)
final class ProjectionWaitTest {
    private static final WaitOutcome REACHED = new WaitOutcome.Reached();
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final int MANY = 500;

    private final ManagerBench bench = new ManagerBench();
    private final AtomicInteger looks = new AtomicInteger();
    private final ProjectionWaiter waiter =
            waiter((projection, aggregates) -> bench.database.store().progress(projection, aggregates));

    @AfterEach
    void stop() {
        bench.close();
    }

    private interface Look {
        ProjectionProgress at(String projection, Set<String> aggregates);
    }

    /** A waiter over a store whose progress is what a look finds. */
    private ProjectionWaiter waiter(Look look) {
        ProjectionStore<Transaction> store = new ForwardingProjectionStore<>(bench.database.store()) {
            @Override
            public ProjectionProgress progress(String projection, Set<String> aggregates) {
                looks.incrementAndGet();
                return look.at(projection, aggregates);
            }

            @Override
            protected <V> V call(String operation, Callable<V> call) throws Exception {
                return call.call();
            }
        };
        return ProjectionWaiter.of(store, "balances");
    }

    private RecordedEvent append(String account) {
        return bench.events
                .append(account, ExpectedVersion.any(), List.of(Accounts.deposit(1)))
                .getLast();
    }

    private void register() {
        bench.database.store().register("balances", 4);
    }

    private void startFailing(FailureKind kind, ProjectionOptions options) {
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        new Balances("balances").failing(event -> {
                            if (event.aggregateId().equals("bad")) {
                                throw new ProjectionException(kind, "it fails", null);
                            }
                        }),
                        bench.source,
                        options));
    }

    @Test
    void a_reader_finds_what_another_process_has_projected() throws Exception {
        register();
        bench.start(new Balances("balances"));
        for (int i = 0; i < 50; i++) {
            RecordedEvent appended = append("account-" + i % 7);
            assertThat(waiter.await(appended, LONG)).isEqualTo(REACHED);
            assertThat(bench.history("balances", appended.event().aggregateId()))
                    .contains(appended.event().eventVersion());
        }
        assertThat(waiter.awaitVersion("account-0", 8, LONG)).isEqualTo(REACHED);
    }

    @Test
    void the_manager_ends_a_wait_without_a_look_at_the_store() throws Exception {
        register();
        ProjectionProgress nothing = bench.database.store().progress("balances", Set.of());
        ProjectionWaiter blind = waiter((projection, aggregates) -> nothing);
        RecordedEvent appended = append("account");
        try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<WaitOutcome> waiting = calls.submit(() -> blind.await(appended, LONG));
            bench.await("the wait", () -> looks.get() > 0);
            bench.start(
                    bench.database.store(),
                    builder ->
                            builder.add(new Balances("balances"), bench.source).listener(blind.listener()));
            assertThat(waiting.get()).isEqualTo(REACHED);
        }
    }

    @Test
    void all_waits_share_the_looks_at_the_store() throws Exception {
        register();
        List<Future<WaitOutcome>> waiting = new ArrayList<>();
        try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < MANY; i++) {
                RecordedEvent appended = append("account-" + i);
                waiting.add(calls.submit(() -> waiter.await(appended, LONG)));
            }
            bench.start(new Balances("balances"));
            for (Future<WaitOutcome> each : waiting) {
                assertThat(each.get()).isEqualTo(REACHED);
            }
        }
        assertThat(looks).hasValueLessThan(MANY);
        bench.await("no look while nothing waits", () -> {
            int before = looks.getAndSet(0);
            return before == 0;
        });
    }

    @Test
    void a_position_is_reached_when_every_segment_has_it() throws Exception {
        register();
        bench.start(new Balances("balances"));
        for (int i = 0; i < 10; i++) {
            append("account-" + i);
        }
        RecordedEvent last = append("account-0");
        assertThat(waiter.awaitPosition(last.position(), LONG)).isEqualTo(REACHED);
        assertThat(bench.balances("balances")).isEqualTo(Accounts.fold(bench.events));
    }

    @Test
    void idle_segments_reach_a_position_before_their_polls_end() throws Exception {
        register();
        CutSource source = new CutSource(bench.source);
        source.waitForEventsAfter(Duration.ofMillis(200));
        bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), source));
        for (int i = 0; i < 3; i++) {
            assertThat(waiter.awaitPosition(append("account").position(), LONG)).isEqualTo(REACHED);
        }
    }

    @Test
    void idle_segments_store_their_positions_at_intervals_however_often_they_move() throws Exception {
        register();
        Map<Integer, List<Long>> stored = new ConcurrentHashMap<>();
        bench.start(
                new ForwardingProjectionStore<>(bench.database.store()) {
                    @Override
                    public boolean apply(Fence fence, Set<String> aggregates, Work<Transaction> work) throws Exception {
                        if (aggregates.isEmpty() && fence instanceof Fence.Segment held) {
                            stored.computeIfAbsent(held.segment(), unused -> new CopyOnWriteArrayList<>())
                                    .add(System.nanoTime());
                        }
                        return super.apply(fence, aggregates, work);
                    }

                    @Override
                    protected <V> V call(String operation, Callable<V> call) throws Exception {
                        return call.call();
                    }
                },
                builder -> builder.add(new Balances("balances"), bench.source));
        for (int i = 0; i < 5; i++) {
            RecordedEvent appended = append("account");
            for (int j = 0; j < 10; j++) { // each of which moves the others
                appended = append("account");
                assertThat(waiter.await(appended, LONG)).isEqualTo(REACHED);
            }
            assertThat(waiter.awaitPosition(appended.position(), LONG)).isEqualTo(REACHED);
        }
        assertThat(stored).hasSizeGreaterThanOrEqualTo(3);
        stored.forEach((segment, times) -> {
            for (int i = 1; i < times.size(); i++) {
                assertThat(times.get(i) - times.get(i - 1))
                        .as("interval %d of segment %d", i, segment)
                        .isGreaterThanOrEqualTo(SegmentPosition.EVERY);
            }
        });
    }

    @Test
    void a_wait_ends_at_its_limit_with_the_position() throws Exception {
        register();
        RecordedEvent appended = append("account");
        WaitOutcome behind = new WaitOutcome.Behind(ProjectionStatus.RUNNING, 0);
        assertThat(waiter.await(appended, Duration.ZERO)).isEqualTo(behind);
        assertThat(looks.get()).isBetween(1, 2);
        assertThat(waiter.await(appended, SHORT)).isEqualTo(behind);
        assertThat(waiter.awaitPosition(appended.position(), SHORT)).isEqualTo(behind);
    }

    @Test
    void an_event_of_an_aggregate_that_waits_for_an_operator_is_not_waited_for() throws Exception {
        startFailing(FailureKind.POISON, ManagerBench.OPTIONS);
        append("bad");
        bench.awaitParked("balances", "bad", ParkReason.POISON);
        assertAtOnce(append("bad"), new WaitOutcome.Parked("bad"));
        assertThat(waiter.await(append("good"), LONG)).isEqualTo(REACHED);
    }

    @Test
    void an_event_of_an_aggregate_that_is_retried_is_waited_for() throws Exception {
        append("good");
        startFailing(
                FailureKind.TRANSIENT,
                ManagerBench.OPTIONS.withRetries(3, Duration.ofMinutes(1), Duration.ofMinutes(1)));
        RecordedEvent bad = append("bad");
        bench.await("good", () -> !bench.history("balances", "good").isEmpty());
        append("good");
        bench.awaitParked("balances", "bad", ParkReason.TRANSIENT);
        long begun = System.nanoTime();
        assertThat(waiter.await(bad, SHORT)).isEqualTo(new WaitOutcome.Parked("bad"));
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(SHORT.toNanos());
    }

    @Test
    void a_projection_that_is_paused_is_not_waited_for() throws Exception {
        register();
        bench.operations.pause("balances", ManagerBench.ACT);
        assertAtOnce(append("account"), new WaitOutcome.Behind(ProjectionStatus.PAUSED, 0));
    }

    private void assertAtOnce(RecordedEvent event, WaitOutcome expected) throws Exception {
        long begun = System.nanoTime();
        assertThat(waiter.await(event, LONG)).isEqualTo(expected);
        assertThat(System.nanoTime() - begun).isLessThan(LONG.toNanos());
    }

    @Test
    void a_store_that_cannot_be_read_for_a_while_is_looked_at_again() throws Exception {
        register();
        bench.start(new Balances("balances"));
        ProjectionWaiter broken = waiter((projection, aggregates) -> {
            if (looks.get() < 3) {
                throw new StorageException("the connection is lost", true, null);
            }
            return bench.database.store().progress(projection, aggregates);
        });
        assertThat(broken.await(append("account"), LONG)).isEqualTo(REACHED);
        looks.set(Integer.MIN_VALUE);
        RecordedEvent appended = append("account");
        assertThatThrownBy(() -> broken.await(appended, SHORT))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("balances", "the connection is lost");
    }

    @Test
    void a_store_that_does_not_answer_is_not_waited_for_beyond_the_limit() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        ProjectionWaiter hanging = waiter((projection, aggregates) -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new StorageException("too late", true, null);
        });
        RecordedEvent appended = append("account");
        try {
            for (Duration limit : List.of(Duration.ZERO, Duration.ofSeconds(2))) {
                assertThatThrownBy(() -> hanging.await(appended, limit))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                e -> assertThat(e.retryable()).isTrue())
                        .hasMessageContaining("'balances' failed: its store did not answer");
            }
        } finally {
            answer.countDown();
        }
    }

    @Test
    void only_versions_that_an_event_can_have_are_waited_for() {
        assertThatIllegalArgumentException().isThrownBy(() -> waiter.awaitVersion("account", 0, LONG));
    }

    @Test
    void a_projection_that_does_not_exist_is_an_error_at_once() {
        assertThatThrownBy(() -> waiter.awaitPosition(1, LONG))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("there is no projection 'balances'");
    }
}
