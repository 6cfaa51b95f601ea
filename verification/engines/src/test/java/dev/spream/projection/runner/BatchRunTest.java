package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.TaskGroup;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the number of transactions needed to find the failing event of a batch. */
final class BatchRunTest {
    private static final int EVENTS = 1_024;

    private final ManagerBench bench = new ManagerBench();
    private final FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
    private final List<FeedItem> committed = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();

    @AfterEach
    void stop() {
        bench.close();
    }

    private void run(boolean folded, Balances.Hook hook) throws LoopExit, InterruptedException {
        Balances projection =
                ProjectionManagerTest.projection("balances", folded).failing(hook);
        ManagerContext<Transaction> manager = new ManagerContext<>(
                store,
                ProjectionOwner.of("test"),
                new SafeListeners<>(List.of()),
                false,
                MonotonicTime.SYSTEM,
                InstantSource.system(),
                new Random(1),
                new TaskGroup(MonotonicTime.SYSTEM, failure -> {}));
        ProjectionSetup<Transaction> setup = new ProjectionSetup<>(projection, bench.source, ManagerBench.OPTIONS);
        FailureHandling failures =
                FailureHandling.of(manager, setup.options(), new VersionStatus(manager, setup, VERSION));
        VersionCode<Transaction> code = new VersionCode<>(setup, VERSION, failures.policy());
        bench.database.register("balances", 0);
        List<FeedItem.Event> items = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            items.add(new FeedItem.Event(i, 0, Accounts.deposit("account-" + i, 1, i)));
        }
        new BatchRun<>(manager, code, failures, new Loop(), items, 0).run();
        assertThat(committed).isEqualTo(items);
    }

    private static final ProjectionVersion VERSION = new ProjectionVersion("balances", 1, 1, VersionRole.LIVE, 0, true);

    private final class Loop implements BatchRun.Loop {
        @Override
        public Fence fence() {
            return new Fence.Whole(FeedRequest.all("balances").projection(), 1);
        }

        @Override
        public ProjectionVersion version() {
            return VERSION;
        }

        @Override
        public void requireMayWrite() {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void committed(List<FeedItem.Event> items, OptionalLong position) {
            committed.addAll(items);
        }

        @Override
        public void parked(Duration due) {}

        @Override
        public void pause(Duration time) {
            pauses.add(time);
        }
    }

    private static boolean is(EventEnvelope event, int... accounts) {
        for (int account : accounts) {
            if (event.aggregateId().equals("account-" + account)) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void one_transaction_if_nothing_fails(boolean folded) throws Exception {
        run(folded, event -> {});
        assertThat(store.calls.get()).isEqualTo(1);
        assertThat(bench.balances("balances")).hasSize(EVENTS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_few_for_one_that_fails(boolean folded) throws Exception {
        run(folded, event -> {
            if (is(event, 777)) {
                throw new IllegalStateException();
            }
        });
        assertThat(store.calls.get()).isLessThanOrEqualTo(folded ? 40 : 4);
        assertThat(bench.parked("balances")).extracting(ParkedAggregate::key).containsExactly("account-777");
        assertThat(bench.balances("balances")).hasSize(EVENTS - 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_few_for_each_that_fails(boolean folded) throws Exception {
        run(folded, event -> {
            if (is(event, 0, 5, 6, 500, 1_023)) {
                throw new ProjectionException(FailureKind.TRANSIENT, "a test wants it", null);
            }
        });
        assertThat(store.calls.get()).isLessThanOrEqualTo(folded ? 200 : 50);
        assertThat(bench.parked("balances")).hasSize(5).allMatch(key -> key.reason() == ParkReason.TRANSIENT);
        assertThat(bench.balances("balances")).hasSize(EVENTS - 5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void each_event_is_tried_a_few_times_if_several_fail(boolean folded) throws Exception {
        AtomicInteger tried = new AtomicInteger();
        run(folded, event -> {
            tried.incrementAndGet();
            if (is(
                    event, 90, 91, 92, 93, 94, 95, 96, 97, 98,
                    99)) { // early in the batch, late in the order of the keys
                throw new ProjectionException(FailureKind.TRANSIENT, "a test wants it", null);
            }
        });
        assertThat(bench.parked("balances")).hasSize(10);
        assertThat(tried.get()).isLessThan(4 * EVENTS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void one_more_for_each_conflict_of_all_events_again_after_a_pause_that_grows(boolean folded) throws Exception {
        AtomicInteger firsts = new AtomicInteger();
        run(folded, event -> {
            if (is(event, 0)) {
                firsts.incrementAndGet();
            }
            if (is(event, 777) && firsts.get() <= 5) {
                throw new ProjectionException(FailureKind.CONFLICT, "a test wants it", null);
            }
        });
        assertThat(store.calls.get()).isEqualTo(6);
        assertThat(firsts).as("transactions with all of the events").hasValue(6);
        assertThat(bench.parked("balances")).isEmpty();
        assertThat(bench.balances("balances")).hasSize(EVENTS);
        assertThat(pauses).hasSize(5).doesNotHaveDuplicates();
        for (int i = 0; i < pauses.size(); i++) {
            assertThat(pauses.get(i)).isBetween(Duration.ofNanos(1), Duration.ofMillis(20L << i));
        }
    }

    @Test
    void none_after_many_conflicts_in_a_row_and_nothing_is_parked() {
        assertThatThrownBy(() -> run(true, event -> {
                    throw new ProjectionException(FailureKind.CONFLICT, "a test wants it", null);
                }))
                .isInstanceOfSatisfying(
                        LoopExit.class, end -> assertThat(end.reason()).isEqualTo(LoopExit.Reason.OUTAGE));
        assertThat(store.calls.get()).isEqualTo(11);
        assertThat(pauses).hasSize(10).allMatch(pause -> pause.compareTo(Duration.ofSeconds(1)) <= 0);
        assertThat(bench.parked("balances")).isEmpty();
        assertThat(committed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void few_events_are_tried_if_all_fail_transiently_and_none_is_parked(boolean folded) {
        Set<String> tried = new HashSet<>();
        assertThatThrownBy(() -> run(folded, event -> {
                    tried.add(event.aggregateId());
                    throw new ProjectionException(FailureKind.TRANSIENT, "a test wants it", null);
                }))
                .isInstanceOfSatisfying(
                        LoopExit.class, end -> assertThat(end.reason()).isEqualTo(LoopExit.Reason.OUTAGE));
        assertThat(store.calls.get()).isLessThanOrEqualTo(50);
        assertThat(tried).hasSizeBetween(3, 20);
        assertThat(bench.parked("balances")).isEmpty();
        assertThat(committed).isEmpty();
    }
}
