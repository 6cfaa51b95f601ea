package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.BOB;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.POISON;
import static dev.spream.storage.jdbc.projection.TestProjections.event;
import static dev.spream.storage.jdbc.projection.TestProjections.events;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionStore.Work;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of concurrent operations on one projection; the server reports which session waits for which. */
@Timeout(120)
final class ProjectionRacesIT {
    private static final int BOUND = 60;

    private final TestProjections test = new TestProjections();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
        test.close();
    }

    @Test
    void two_that_begin_with_the_same_new_aggregate_count_its_event_once() throws Exception {
        Fence.Whole fence = test.whole();
        OpenBatch first = open(fence, event("a", 1), event("b", 1));
        Future<Boolean> second = start(() -> applyOnce(fence, List.of(event("b", 1), event("a", 1), event("c", 1))));
        awaitWaiting(second);
        first.end();
        assertThat(result(second)).isTrue();
        assertThat(test.balances()).containsExactly("a,1", "b,1", "c,1");
    }

    @Test
    void a_batch_waiting_for_a_new_aggregate_applies_it_when_the_first_one_fails() throws Exception {
        Fence.Whole fence = test.whole();
        OpenBatch first = open(fence, event("a", 1));
        Future<Boolean> second = start(() -> applyOnce(fence, List.of(event("a", 1))));
        awaitWaiting(second);
        first.fail();
        assertThat(result(second)).isTrue();
        assertThat(test.balances()).containsExactly("a,1");
    }

    @Test
    void many_that_share_aggregates_in_any_order_neither_deadlock_nor_count_twice() throws Exception {
        Fence.Whole fence = test.whole();
        int versions = 40;
        List<Future<Integer>> workers = new ArrayList<>();
        for (int worker = 0; worker < 6; worker++) {
            int start = worker;
            workers.add(start(() -> {
                for (long version = 1; version <= versions; version++) {
                    List<EventEnvelope> batch = new ArrayList<>();
                    for (int key = 0; key < 8; key++) {
                        batch.add(event("k" + (key * 5 + start) % 11, version));
                    }
                    if (start % 2 == 0) {
                        Collections.reverse(batch);
                    }
                    applyOnce(fence, batch);
                }
                return start;
            }));
        }
        for (Future<Integer> worker : workers) {
            result(worker);
        }
        assertThat(test.balances()).hasSize(11).allMatch(row -> row.endsWith("," + versions));
    }

    @Test
    void a_pause_waits_for_a_batch_and_lets_none_begin_meanwhile() throws Exception {
        Fence.Segment fence = test.held(ANN);
        OpenBatch batch = open(fence, event("a", 1));
        Future<Boolean> pause = start(() -> test.operations.pause(NAME, ACT));
        awaitWaiting(pause);
        Future<Boolean> later = start(() -> test.apply(fence, event("a", 2)));
        awaitWaiting(later);
        batch.end();
        assertThat(result(pause)).isTrue();
        assertThat(result(later)).as("a batch that began after the pause").isFalse();
        assertThat(test.balances()).containsExactly("a,1");
    }

    @Test
    void a_pause_that_times_out_names_the_blocking_session_and_changes_nothing() throws Exception {
        Fence.Segment fence = test.held(ANN);
        OpenBatch batch = open(fence, event("a", 1));
        try (JdbcProjectionOperations impatient = JdbcProjectionOperations.builder(test.dataSource())
                .statementTimeout(Duration.ofSeconds(3))
                .build()) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> impatient.pause(NAME, ACT))
                    .withMessageContaining("session %d".formatted(batch.session))
                    .withMessageContaining("nothing was changed")
                    .matches(StorageException::retryable);
        }
        batch.end();
        assertThat(test.apply(fence, event("a", 2))).isTrue();
        assertThat(test.rows("SELECT FROM spream.projection_audit")).isEmpty();
    }

    @Test
    void a_segment_is_not_taken_while_its_lease_ran_out_in_a_batch() throws Exception {
        Fence.Segment fence = test.held(ANN);
        OpenBatch batch = open(fence, event("a", 1));
        test.database().passTime(LEASE.plusSeconds(1));
        assertThat(test.store.holdSegments(NAME, BOB, Set.of(), LEASE).held()).isEmpty();
        batch.end();
        Fence.Segment bobs = test.held(BOB);
        assertThat(bobs.epoch()).isEqualTo(fence.epoch() + 1);
        assertThat(test.apply(fence, event("a", 2))).as("a zombie").isFalse();
        assertThat(test.apply(bobs, event("a", 2))).isTrue();
        assertThat(test.balances()).containsExactly("a,2");
    }

    @Test
    void a_lease_is_renewed_while_a_batch_is_being_applied() throws Exception {
        Fence.Segment fence = test.held(ANN);
        OpenBatch batch = open(fence, event("a", 1));
        test.database().passTime(LEASE.dividedBy(2));
        assertThat(test.store.holdSegments(NAME, ANN, Set.of(), LEASE).held()).hasSize(1);
        batch.end();
        test.database().passTime(LEASE.dividedBy(2).plusSeconds(1));
        assertThat(test.store.holdSegments(NAME, BOB, Set.of(), LEASE).held()).isEmpty();
    }

    @Test
    void events_that_come_while_their_aggregate_is_tried_again_follow_it() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.park(fence, "a", POISON, events("a", 1, 2));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Future<Optional<AggregateState>> retry =
                start(() -> test.store.retry(fence, "a", 10, (connection, last, events) -> {
                    for (EventEnvelope event : events) {
                        TestProjections.add(connection, event.aggregateId());
                    }
                    begun.countDown();
                    await(end);
                    return 2;
                }));
        await(begun);
        assertThat(test.retry(fence, "a")).as("another process retries it").isEmpty();
        Future<Boolean> next = start(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
            assertThat(states).containsEntry("a", new AggregateState(2, false));
            return TestProjections.counting(OptionalLong.empty(), List.of(event("a", 3)))
                    .apply(connection, states);
        }));
        awaitWaiting(next);
        end.countDown();
        assertThat(result(retry)).contains(new AggregateState(2, false));
        assertThat(result(next)).isTrue();
        assertThat(test.balances()).containsExactly("a,3");
    }

    @Test
    void an_aggregate_that_a_batch_is_at_is_skipped_after_it() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.park(fence, "a", POISON, events("a", 1, 1));
        OpenBatch batch = open(fence, (connection, states) -> {
            assertThat(states).containsEntry("a", new AggregateState(0, true));
            return new BatchCheckpoint(Map.of(), Map.of(), events("a", 2, 2), OptionalLong.empty(), Optional.empty());
        });
        Future<Boolean> skip = start(() -> test.operations.skip(NAME, "a", 1, ACT));
        awaitWaiting(skip);
        batch.end();
        assertThat(result(skip)).isTrue();
        assertThat(test.operations.parked(NAME, 10)).singleElement().satisfies(parked -> {
            assertThat(parked.events()).isEqualTo(1);
            assertThat(parked.firstVersion()).isEqualTo(2);
        });
        assertThat(test.retry(fence, "a")).contains(new AggregateState(2, false));
    }

    @Test
    void processes_that_start_at_once_make_the_tables_and_the_projection_once() throws Exception {
        test.execute("DROP SCHEMA spream CASCADE");
        try (HikariDataSource other = test.database().open()) {
            List<Future<Long>> starts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                HikariDataSource pool = i % 2 == 0 ? other : test.dataSource();
                starts.add(start(
                        () -> JdbcProjectionStore.create(pool).register(NAME, 4).epoch()));
            }
            for (Future<Long> started : starts) {
                assertThat(result(started)).isEqualTo(1);
            }
        }
        assertThat(test.rows("SELECT count(*) FROM spream.projection_segments")).containsExactly("4");
    }

    /** As the engine does it: an event that is known already is passed over. */
    private boolean applyOnce(Fence fence, List<EventEnvelope> events) throws Exception {
        return test.store.apply(fence, TestProjections.keys(events), (connection, states) -> {
            List<EventEnvelope> fresh = events.stream()
                    .filter(event -> event.eventVersion()
                            > Optional.ofNullable(states.get(event.aggregateId()))
                                    .orElseThrow()
                                    .lastVersion())
                    .toList();
            return TestProjections.counting(OptionalLong.empty(), fresh).apply(connection, states);
        });
    }

    /** A batch in an open transaction, which ends on request. */
    private final class OpenBatch {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile boolean failing;
        private volatile int session;
        private final Future<Boolean> call;

        private OpenBatch(Fence fence, Set<String> keys, Work<Connection> work) throws InterruptedException {
            call = start(() -> test.store.apply(fence, keys, (connection, states) -> {
                session = connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
                BatchCheckpoint progress = work.apply(connection, states);
                begun.countDown();
                await(end);
                if (failing) {
                    throw new SQLException("aborted");
                }
                return progress;
            }));
            await(begun);
        }

        void end() throws Exception {
            end.countDown();
            assertThat(result(call)).isTrue();
        }

        void fail() throws Exception {
            failing = true;
            end.countDown();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> result(call))
                    .withMessageContaining("aborted");
        }
    }

    private OpenBatch open(Fence fence, EventEnvelope... events) throws InterruptedException {
        List<EventEnvelope> list = List.of(events);
        return new OpenBatch(fence, TestProjections.keys(list), TestProjections.counting(OptionalLong.empty(), list));
    }

    private OpenBatch open(Fence fence, Work<Connection> work) throws InterruptedException {
        return new OpenBatch(fence, Set.of("a"), work);
    }

    private <T> Future<T> start(Callable<T> call) {
        return threads.submit(call);
    }

    private static <T> T result(Future<T> call) throws InterruptedException, ExecutionException, TimeoutException {
        return call.get(BOUND, SECONDS);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(BOUND, SECONDS)).as("in time").isTrue();
    }

    private int awaited;

    /** Until one more session than before waits for a lock, which is the call's. */
    private void awaitWaiting(Future<?> call) throws SQLException {
        awaited++;
        long end = System.nanoTime() + SECONDS.toNanos(BOUND);
        while (test.rows("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .size()
                < awaited) {
            assertThat(call).as("a call that should wait").isNotDone();
            assertThat(System.nanoTime()).as("the time by which it waits").isLessThan(end);
            LockSupport.parkNanos(2_000_000);
        }
    }
}
