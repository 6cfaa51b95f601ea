package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of events that fail, and of all others meanwhile. */
final class ProjectionFailureTest {
    private final ManagerBench bench = new ManagerBench();

    @AfterEach
    void stop() {
        bench.close();
    }

    private void appendMany() {
        for (int round = 1; round <= 10; round++) {
            for (int account = 0; account < 30; account++) {
                Accounts.append(bench.events, "account-" + account, round);
            }
        }
    }

    private static ProjectionException failure(FailureKind kind) {
        return new ProjectionException(kind, "a test wants it", null);
    }

    private static boolean is(EventEnvelope event, String account, long version) {
        return event.aggregateId().equals(account) && event.eventVersion() == version;
    }

    private Map<String, Accounts.Balance> without(String projection, String account) {
        Map<String, Accounts.Balance> balances = bench.balances(projection);
        balances.remove(account);
        return balances;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void poison_parks_its_aggregate_and_what_follows_and_nothing_else(boolean folded) {
        appendMany();
        AtomicBoolean fixed = new AtomicBoolean();
        Balances projection = ProjectionManagerTest.projection("balances", folded)
                .failing(event -> {
                    if (is(event, "account-7", 4) && !fixed.get()) {
                        throw new IllegalStateException("cannot");
                    }
                });
        bench.start(projection, new Balances("healthy"));
        bench.awaitParked("balances", "account-7", ParkReason.POISON);
        Map<String, Accounts.Balance> others = Accounts.fold(bench.events);
        others.remove("account-7");
        bench.await("the other accounts", () -> without("balances", "account-7").equals(others));
        bench.awaitBalances("healthy");
        Accounts.append(bench.events, "account-7", 5);
        bench.await(
                "later events parked", () -> bench.parked("balances").getFirst().events() == 8);
        ParkedAggregate parked = bench.parked("balances").getFirst();
        assertThat(bench.parked("balances")).hasSize(1);
        assertThat(parked.lastVersion()).isEqualTo(3);
        assertThat(parked.firstVersion()).isEqualTo(4);
        assertThat(parked.attempts()).isEqualTo(1);
        assertThat(parked.nextTry()).isEmpty();
        assertThat(parked.error())
                .startsWith(IllegalStateException.class.getName())
                .doesNotContain("cannot");
        assertThat(bench.history("balances", "account-7")).containsExactly(1L, 2L, 3L);
        assertThat(bench.status("balances")).isEqualTo(ProjectionStatus.RUNNING);
        fixed.set(true);
        assertThat(bench.operations.retry("balances", Optional.of("account-7"), ManagerBench.ACT))
                .isEqualTo(1);
        bench.awaitBalances("balances");
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        bench.await(
                "the listener told",
                () -> bench.told
                        .all(RecordingProjectionListener.Told.Resumed.class)
                        .contains(new RecordingProjectionListener.Told.Resumed("balances", "account-7")));
    }

    @Test
    void poison_parks_its_aggregate_alone_where_aggregates_share_a_row() {
        appendMany();
        AtomicBoolean fixed = new AtomicBoolean();
        bench.start(new Totals(event -> {
            if (is(event, "account-7", 4) && !fixed.get()) {
                throw new IllegalStateException("cannot");
            }
        }));
        bench.awaitParked("totals", "account-7", ParkReason.POISON);
        bench.await("all the others", () -> total() == 30 * 55 - (55 - 1 - 2 - 3));
        fixed.set(true);
        bench.operations.retry("totals", Optional.of("account-7"), ManagerBench.ACT);
        bench.await("all of them", () -> total() == 30 * 55);
        assertThat(bench.balances("totals")).containsOnlyKeys("0", "1", "2");
    }

    private long total() {
        return bench.balances("totals").values().stream()
                .mapToLong(Accounts.Balance::amount)
                .sum();
    }

    /** Three rows that all accounts share. */
    private static final class Totals extends Balances.Folded {
        Totals(Hook hook) {
            super("totals");
            failing(hook);
        }

        @Override
        public String key(EventEnvelope event) {
            return Long.toString(event.eventVersion() % 3);
        }

        @Override
        public void write(Transaction transaction, Map<String, Change> folded) throws Exception {
            assertThat(List.copyOf(folded.keySet())).isSorted();
            super.write(transaction, folded);
        }

        @Override
        public void apply(Transaction transaction, EventEnvelope event) throws Exception {
            write(transaction, Map.of(key(event), fold(null, event)));
        }
    }

    @Test
    void events_after_skipped_poison_are_applied() {
        appendMany();
        bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-7", 4)) {
                throw failure(FailureKind.POISON);
            }
        }));
        bench.awaitParked("balances", "account-7", ParkReason.POISON);
        assertThat(bench.operations.skip("balances", "account-7", 5, ManagerBench.ACT))
                .isFalse();
        assertThat(bench.operations.skip("balances", "account-7", 4, ManagerBench.ACT))
                .isTrue();
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        bench.await(
                "all the others",
                () -> bench.history("balances", "account-7").equals(List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L, 9L, 10L)));
        assertThat(bench.details("balances").deadLetters()).isEqualTo(1);
    }

    @Test
    void an_event_that_overflows_the_stack_parks_its_aggregate_alone() {
        appendMany();
        bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-7", 4)) {
                throw new StackOverflowError();
            }
        }));
        bench.awaitParked("balances", "account-7", ParkReason.POISON);
        assertThat(bench.parked("balances").getFirst().error()).startsWith(StackOverflowError.class.getName());
        assertThat(bench.operations.skip("balances", "account-7", 4, ManagerBench.ACT))
                .isTrue();
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        assertThat(bench.status("balances")).isEqualTo(ProjectionStatus.RUNNING);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void poison_everywhere_parks_every_aggregate_once(boolean folded) {
        appendMany();
        bench.start(ProjectionManagerTest.projection("balances", folded).failing(event -> {
            if (event.eventVersion() == 2) {
                throw failure(FailureKind.POISON);
            }
        }));
        bench.await(
                "all parked",
                () -> bench.operations.show("balances").isPresent()
                        && bench.details("balances").parkedEvents() == 30 * 9);
        assertThat(bench.parked("balances")).hasSize(30).allMatch(key -> key.lastVersion() == 1);
        assertThat(bench.balances("balances").values())
                .allMatch(balance -> balance.history().equals(List.of(1L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void code_that_fails_for_every_event_stops_its_projection_and_parks_few(boolean folded) {
        for (int account = 0; account < 100; account++) {
            Accounts.append(bench.events, "account-" + account, 1);
        }
        AtomicBoolean corrected = new AtomicBoolean();
        bench.start(ProjectionManagerTest.projection("balances", folded).failing(event -> {
            if (!corrected.get()) {
                throw new IllegalStateException("cannot");
            }
        }));
        awaitFailed("balances");
        assertThat(bench.parked("balances"))
                .hasSizeBetween(ParkLimit.FEW, ParkLimit.FEW + 4); // a segment has one more at most
        assertThat(bench.details("balances").state().lastError().orElseThrow())
                .contains("events that were tried failed permanently, more than 50 %")
                .contains("'projection resume balances' and 'projection retry balances --all'")
                .contains("first error: java.lang.IllegalStateException")
                .contains("last error: java.lang.IllegalStateException")
                .doesNotContain("cannot be");
        corrected.set(true);
        bench.operations.resume("balances", ManagerBench.ACT);
        bench.await(
                "nothing parked",
                () -> { // one that was being parked when the projection stopped may come later
                    bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
                    return bench.parked("balances").isEmpty();
                });
        bench.awaitBalances("balances");
    }

    @Test
    void aggregates_parked_by_other_processes_count_for_the_bound() throws Exception {
        appendMany();
        for (int process = 1; process <= 2; process++) {
            int last = 3 * process;
            Running running = bench.start(
                    bench.database.store(),
                    builder -> builder.add(
                            new Balances("balances").failing(event -> {
                                if (Integer.parseInt(event.aggregateId().substring(8)) < last) {
                                    throw failure(FailureKind.POISON);
                                }
                            }),
                            bench.source,
                            ManagerBench.OPTIONS.withSegments(1).withMaxParked(5)));
            if (process == 1) {
                bench.await(
                        "the first parked",
                        () -> bench.operations.show("balances").isPresent()
                                && bench.details("balances").parkedEvents() == 30);
                running.stop();
                assertThat(bench.status("balances")).isEqualTo(ProjectionStatus.RUNNING);
                for (int account = 0; account < 30; account++) {
                    Accounts.append(bench.events, "account-" + account, 11);
                }
            }
        }
        awaitFailed("balances");
        assertThat(bench.parked("balances")).hasSize(5);
        assertThat(bench.details("balances").state().lastError().orElseThrow())
                .contains("5 aggregates are parked and wait for an operator; the limit is 5")
                .contains("first error: a test wants it; last error: a test wants it");
    }

    @Test
    void the_last_event_is_one_that_was_applied() {
        Accounts.append(bench.events, "account-1", 1);
        Accounts.append(bench.events, "account-2", 1);
        AtomicReference<String> applied = new AtomicReference<>("");
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        new Balances("balances").failing(event -> {
                            if (event.aggregateId().equals("account-2")) {
                                throw failure(FailureKind.POISON);
                            }
                            applied.set(event.eventId());
                        }),
                        bench.source,
                        ManagerBench.OPTIONS.withSegments(1)));
        bench.awaitParked("balances", "account-2", ParkReason.POISON);
        bench.await("the last event", () -> {
            ProjectionState state = bench.details("balances").state();
            return state.position() == 2 && state.lastEventId().equals(Optional.ofNullable(applied.get()));
        });
    }

    @Test
    void a_process_knows_what_is_parked() {
        appendMany();
        Running running = bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-7", 4)) {
                throw failure(FailureKind.POISON);
            }
        }));
        bench.await("the parked events in the view", () -> {
            ProjectionView view = running.manager().views().getFirst();
            return view.parked().aggregates() == 1
                    && view.parked().events() == 7
                    && view.lagEvents().equals(OptionalLong.of(0));
        });
        bench.operations.skip("balances", "account-7", 4, ManagerBench.ACT);
        bench.await(
                "nothing parked in the view",
                () -> running.manager().views().getFirst().parked().equals(ParkedSummary.NONE));
    }

    private void awaitFailed(String projection) {
        bench.await(
                "the projection FAILED",
                () -> bench.operations.show(projection).isPresent()
                        && bench.status(projection) == ProjectionStatus.FAILED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_that_fails_once_is_retried_at_once_and_parks_nothing(boolean folded) {
        appendMany();
        Set<String> failed = ConcurrentHashMap.newKeySet();
        bench.start(ProjectionManagerTest.projection("balances", folded).failing(event -> {
            if (event.eventVersion() == 5 && failed.add(event.aggregateId())) {
                throw failure(FailureKind.TRANSIENT);
            }
        }));
        bench.awaitBalances("balances");
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_transient_failure_parks_an_aggregate_until_a_later_retry_succeeds(boolean folded) {
        appendMany();
        AtomicInteger tries = new AtomicInteger();
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        ProjectionManagerTest.projection("balances", folded).failing(event -> {
                            if (is(event, "account-3", 5) && tries.incrementAndGet() < 60) {
                                throw failure(FailureKind.TRANSIENT);
                            }
                        }),
                        bench.source,
                        ManagerBench.OPTIONS.withRetries(100, Duration.ofMillis(1), Duration.ofMillis(5))));
        bench.awaitBalances("balances");
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .isNotEmpty()
                .allMatch(
                        told -> told.key().equals("account-3") && told.parking().reason() == ParkReason.TRANSIENT);
    }

    @Test
    void after_all_attempts_an_aggregate_waits_for_an_operator() {
        appendMany();
        AtomicInteger tries = new AtomicInteger();
        bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-3", 5)) {
                tries.incrementAndGet();
                throw failure(FailureKind.TRANSIENT);
            }
        }));
        awaitPoisonWhileOthersContinue("account-3");
        ParkedAggregate parked = bench.parked("balances").getFirst();
        assertThat(parked.attempts()).isEqualTo(ManagerBench.OPTIONS.maxAttempts());
        assertThat(parked.nextTry()).isEmpty();
        assertThat(parked.error()).isEqualTo("a test wants it");
        int before = tries.get();
        bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
        bench.await("all attempts again", () -> tries.get() >= before + ManagerBench.OPTIONS.maxAttempts());
        awaitPoisonWhileOthersContinue("account-3");
    }

    @Test
    void a_conflict_of_a_parked_aggregate_is_no_attempt() {
        appendMany();
        AtomicInteger conflicts = new AtomicInteger();
        bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-3", 5)) {
                if (bench.told
                        .all(RecordingProjectionListener.Told.Parked.class)
                        .isEmpty()) {
                    throw failure(FailureKind.TRANSIENT);
                }
                if (conflicts.incrementAndGet() <= 20) {
                    throw failure(FailureKind.CONFLICT);
                }
            }
        }));
        bench.await("account-3 continues", () -> {
            Accounts.append(bench.events, "account-1", 1);
            return conflicts.get() > 20;
        });
        bench.awaitBalances("balances");
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .allMatch(told -> told.key().equals("account-3")
                        && told.parking().reason() == ParkReason.TRANSIENT
                        && told.parking().attempts() <= 1);
        assertThat(bench.told.all(RecordingProjectionListener.Told.Failed.class))
                .filteredOn(told -> told.kind() == FailureKind.CONFLICT)
                .hasSize(20);
    }

    private void awaitPoisonWhileOthersContinue(String account) {
        bench.await(account + " waits for an operator", () -> {
            Accounts.append(bench.events, "account-1", 1);
            List<ParkedAggregate> parked =
                    bench.operations.show("balances").isPresent() ? bench.parked("balances") : List.of();
            return parked.stream().anyMatch(key -> key.key().equals(account) && key.reason() == ParkReason.POISON);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void while_nothing_is_applied_no_attempt_counts_though_a_single_aggregate_fails(int maxAttempts) {
        Accounts.append(bench.events, "account-1", 1);
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger tries = new AtomicInteger();
        Balances projection = new Balances("balances").failing(event -> {
            if (down.get()) {
                tries.incrementAndGet();
                throw failure(FailureKind.TRANSIENT);
            }
        });
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        projection,
                        bench.source,
                        ManagerBench.OPTIONS.withRetries(maxAttempts, Duration.ofMillis(1), Duration.ofMillis(5))));
        bench.await("many tries", () -> tries.get() > 10);
        assertThat(bench.parked("balances")).allMatch(key -> key.reason() == ParkReason.TRANSIENT);
        down.set(false);
        bench.awaitBalances("balances");
    }

    @Test
    void a_parked_aggregate_resumes_even_if_its_events_take_longer_than_a_round() {
        for (int version = 1; version <= 40; version++) {
            Accounts.append(bench.events, "account-3", version);
        }
        AtomicBoolean fixed = new AtomicBoolean();
        bench.start(new Balances("balances").failing(event -> {
            if (is(event, "account-3", fixed.get() ? 40 : 1)) {
                throw failure(FailureKind.POISON);
            }
            if (fixed.get()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }));
        bench.awaitParked("balances", "account-3", ParkReason.POISON);
        fixed.set(true);
        bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
        bench.await("all before the last", () -> {
            List<ParkedAggregate> parked = bench.parked("balances");
            return parked.size() == 1 && parked.getFirst().lastVersion() == 39;
        });
        bench.awaitParked("balances", "account-3", ParkReason.POISON);
    }

    /** A store whose transactions do not survive an event, as after a session that stood still for too long. */
    private ProjectionStore<Transaction> brokenBy(Set<EventEnvelope> open, Predicate<EventEnvelope> breaking) {
        return new ForwardingProjectionStore<>(bench.database.store()) {
            @Override
            protected <V> V call(String operation, Callable<V> call) throws Exception {
                return call.call();
            }

            @Override
            public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
                return super.apply(fence, keys, (transaction, states) -> {
                    open.clear();
                    BatchCheckpoint progress = work.apply(transaction, states);
                    requireAlive();
                    return progress;
                });
            }

            @Override
            public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
                    throws Exception {
                return super.retry(fence, key, limit, (transaction, last, events) -> {
                    open.clear();
                    long version = work.apply(transaction, last, events);
                    requireAlive();
                    return version;
                });
            }

            private void requireAlive() {
                if (open.stream().anyMatch(breaking)) {
                    throw new StorageException("the server has ended the session", true, null);
                }
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_event_that_brings_its_transactions_down_parks_its_aggregate_and_no_other(boolean folded) {
        appendMany();
        Set<EventEnvelope> open = ConcurrentHashMap.newKeySet();
        AtomicInteger broken = new AtomicInteger();
        ProjectionStore<Transaction> store = brokenBy(open, event -> {
            boolean breaks = is(event, "account-3", 5);
            broken.addAndGet(breaks ? 1 : 0);
            return breaks;
        });
        Balances projection =
                ProjectionManagerTest.projection("balances", folded).failing(open::add);
        ProjectionOptions options =
                ManagerBench.OPTIONS.withSegments(1).withRetries(1_000, Duration.ofMillis(1), Duration.ofMillis(20));
        bench.start(store, builder -> builder.add(projection, bench.source, options));
        bench.await(
                "parked", () -> broken.get() > 0 && !bench.parked("balances").isEmpty());
        int before = broken.get();
        appendMany();
        bench.await("the other accounts", () -> without("balances", "account-3").equals(foldWithout("account-3")));
        bench.await("tried again", () -> broken.get() > before);
        assertThat(bench.parked("balances")).extracting(ParkedAggregate::key).containsExactly("account-3");
        assertThat(bench.history("balances", "account-3")).containsExactly(1L, 2L, 3L, 4L);
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .allMatch(told -> told.key().equals("account-3"));
    }

    private Map<String, Accounts.Balance> foldWithout(String account) {
        Map<String, Accounts.Balance> balances = Accounts.fold(bench.events);
        balances.remove(account);
        return balances;
    }

    @Test
    void events_after_one_that_is_skipped_during_its_last_attempt_are_applied() {
        appendMany();
        AtomicBoolean skipped = new AtomicBoolean();
        ProjectionStore<Transaction> store = new ForwardingProjectionStore<>(bench.database.store()) {
            @Override
            protected <V> V call(String operation, Callable<V> call) throws Exception {
                if (operation.equals("postpone")
                        && bench.parked("balances").getFirst().attempts() == ManagerBench.OPTIONS.maxAttempts() - 1) {
                    skipped.set(bench.operations.skip("balances", "account-3", 5, ManagerBench.ACT));
                }
                return call.call();
            }
        };
        Balances projection = new Balances("balances").failing(event -> {
            if (is(event, "account-3", 5)) {
                throw failure(FailureKind.TRANSIENT);
            }
        });
        bench.start(store, builder -> builder.add(projection, bench.source));
        bench.await("skipped", () -> {
            Accounts.append(bench.events, "account-1", 1);
            return skipped.get();
        });
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        bench.await( // what had not been read yet when it was skipped comes later
                "all that follows",
                () -> bench.history("balances", "account-3").equals(List.of(1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L, 10L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void no_aggregate_is_parked_while_every_event_fails(boolean folded) {
        appendMany();
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger tries = new AtomicInteger();
        Running running =
                bench.start(ProjectionManagerTest.projection("balances", folded).failing(event -> {
                    if (down.get()) {
                        tries.incrementAndGet();
                        throw failure(FailureKind.TRANSIENT);
                    }
                }));
        bench.await(
                "an outage", () -> running.manager().views().getFirst().outage().isPresent());
        bench.await("many tries", () -> tries.get() > 50);
        assertThat(bench.parked("balances")).isEmpty();
        assertThat(bench.balances("balances")).isEmpty();
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .isEmpty();
        down.set(false);
        bench.awaitBalances("balances");
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
        bench.await(
                "no outage", () -> running.manager().views().getFirst().outage().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_fatal_failure_stops_that_projection_alone_until_it_is_resumed(boolean error) {
        appendMany();
        AtomicBoolean fixed = new AtomicBoolean();
        bench.start(
                new Balances("broken").failing(event -> {
                    if (fixed.get()) {
                        return;
                    }
                    if (error) {
                        throw new AssertionError("a test wants it");
                    }
                    throw failure(FailureKind.FATAL);
                }),
                new Balances("healthy"));
        bench.await(
                "FAILED",
                () -> bench.operations.show("broken").isPresent() && bench.status("broken") == ProjectionStatus.FAILED);
        bench.awaitBalances("healthy");
        assertThat(bench.balances("broken")).isEmpty();
        assertThat(bench.parked("broken")).isEmpty();
        assertThat(bench.details("broken").state().lastError()).isPresent();
        bench.await(
                "told",
                () -> bench.told
                        .all(RecordingProjectionListener.Told.Status.class)
                        .contains(new RecordingProjectionListener.Told.Status("broken", ProjectionStatus.FAILED)));
        fixed.set(true);
        assertThat(bench.operations.resume("broken", ManagerBench.ACT)).isTrue();
        Map<String, Accounts.Balance> expected = Accounts.fold(bench.events);
        bench.await("the read model", () -> bench.balances("broken").equals(expected));
    }

    @Test
    void an_error_of_a_source_ends_a_feed_and_not_the_manager() {
        appendMany();
        AtomicInteger errors = new AtomicInteger(3);
        EventSource failing = ContractBreakers.of(
                EventSource.class,
                bench.source,
                "open",
                (source, arguments) -> ContractBreakers.of(
                        EventFeed.class, source.open((FeedRequest) arguments[0]), "poll", (feed, poll) -> {
                            if (errors.getAndDecrement() > 0) {
                                throw new OutOfMemoryError("a test wants it");
                            }
                            return feed.poll((int) poll[0], (Duration) poll[1]);
                        }));
        bench.start(
                bench.database.store(),
                builder -> builder.add(new Balances("broken"), failing, ManagerBench.OPTIONS)
                        .add(new Balances("healthy"), bench.source, ManagerBench.OPTIONS));
        bench.awaitBalances("healthy");
        bench.awaitBalances("broken");
        bench.await(
                "told",
                () -> bench.details("broken")
                        .state()
                        .lastError()
                        .filter(error -> error.contains(OutOfMemoryError.class.getName()))
                        .isPresent());
    }

    @Test
    void a_fatal_failure_of_all_segments_is_said_once() throws Exception {
        appendMany();
        CountDownLatch all = new CountDownLatch(ManagerBench.OPTIONS.segments());
        try (LogLines lines = new LogLines(LoopEnd.class)) {
            Running running = bench.start(new Balances("fatal-once").failing(event -> {
                all.countDown();
                assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
                throw failure(FailureKind.FATAL);
            }));
            bench.await(
                    "all segments failed",
                    () -> bench.told
                                            .all(RecordingProjectionListener.Told.Failed.class)
                                            .size()
                                    == 4
                            && bench.status("fatal-once") == ProjectionStatus.FAILED);
            running.stop();
            assertThat(lines.of(Level.ERROR, "fatal-once"))
                    .singleElement()
                    .asString()
                    .contains("a test wants it", "FAILED");
        }
    }

    @Test
    void parked_and_resumed_aggregates_are_logged() {
        appendMany();
        AtomicBoolean fixed = new AtomicBoolean();
        try (LogLines lines = new LogLines(ParkedLog.class)) {
            bench.start(new Balances("said").failing(event -> {
                if (is(event, "account-7", 4) && !fixed.get()) {
                    throw failure(FailureKind.POISON);
                }
            }));
            bench.await("a warning", () -> !lines.of(Level.WARN, "said").isEmpty());
            assertThat(lines.of(Level.WARN, "said"))
                    .singleElement()
                    .asString()
                    .contains("'account-7'", "version 4", "POISON");
            fixed.set(true);
            bench.operations.retry("said", Optional.empty(), ManagerBench.ACT);
            bench.await(
                    "a line about its end",
                    () -> lines.of(Level.INFO, "said").stream()
                            .anyMatch(line -> line.contains("'account-7' is no longer parked")));
        }
    }

    @Test
    void a_failing_store_loses_nothing_and_parks_nothing() {
        FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
        Running running = bench.start(store, builder -> builder.add(new Balances("balances"), bench.source));
        appendMany();
        bench.awaitBalances("balances");
        store.failing.add("apply");
        appendMany();
        bench.await("failures", () -> store.failures.get() > 3);
        bench.await(
                "an outage", () -> running.manager().views().getFirst().outage().isPresent());
        bench.await(
                "a lag", () -> running.manager().views().getFirst().lagEvents().orElse(0) > 0);
        store.heal();
        bench.awaitBalances("balances");
        assertThat(bench.told.all(RecordingProjectionListener.Told.Parked.class))
                .isEmpty();
        bench.await(
                "no outage", () -> running.manager().views().getFirst().outage().isEmpty());
        bench.await("errors reported", () -> bench.details("balances").state().errorCount() > 0);
    }

    @Test
    void answers_that_are_lost_apply_nothing_twice() {
        FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
        store.losingAnswers.add("apply");
        bench.start(store, builder -> builder.add(new Balances("balances"), bench.source));
        for (int round = 0; round < 5; round++) {
            int before = store.failures.get();
            appendMany();
            bench.await("failures", () -> store.failures.get() > before);
        }
        store.heal();
        bench.awaitBalances("balances");
    }

    @Test
    void it_starts_when_the_store_can_be_reached() {
        FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
        store.cut();
        appendMany();
        Running running = bench.start(store, builder -> builder.add(new Balances("balances"), bench.source));
        bench.await(
                "an outage", () -> running.manager().views().getFirst().outage().isPresent());
        store.heal();
        bench.awaitBalances("balances");
    }

    @Test
    void events_of_other_types_only_count_as_seen() throws Exception {
        bench.events.append(
                "account-1",
                ExpectedVersion.none(),
                List.of(Accounts.deposit(1), Accounts.event(Accounts.NOTED, 10), Accounts.deposit(5)));
        Balances deposits = new Balances("balances") {
            @Override
            public Set<String> eventTypes() {
                return Set.of(Accounts.DEPOSITED);
            }
        };
        Running running = bench.start(deposits);
        bench.await(
                "the balance",
                () -> new Accounts.Balance(6, List.of(1L, 3L))
                        .equals(bench.balances("balances").get("account-1")));
        running.stop();
        assertThat(bench.told.all(RecordingProjectionListener.Told.Event.class)).hasSize(2);
    }
}
