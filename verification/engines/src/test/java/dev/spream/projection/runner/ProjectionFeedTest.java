package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.event.QueueEventSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Projections of a source without positions. */
final class ProjectionFeedTest {
    private final ManagerBench bench = new ManagerBench();
    private final QueueEventSource queue = new QueueEventSource();
    private final List<EventEnvelope> written = new ArrayList<>();

    @AfterEach
    void stop() {
        bench.close();
        queue.close();
    }

    private Running start(Balances projection) {
        return bench.start(bench.database.store(), builder -> builder.add(projection, queue.another()));
    }

    /** The first versions of some accounts, in order. */
    private static List<EventEnvelope> events(int accounts, int versions) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int version = 1; version <= versions; version++) {
            for (int account = 0; account < accounts; account++) {
                events.add(Accounts.deposit("account-" + account, version, account + version));
            }
        }
        return events;
    }

    private void write(List<EventEnvelope> events) {
        events.forEach(queue::write);
        written.addAll(events);
    }

    private void awaitBalances() {
        Map<String, TreeMap<Long, EventEnvelope>> byVersion = new TreeMap<>();
        written.forEach(event -> byVersion
                .computeIfAbsent(event.aggregateId(), any -> new TreeMap<>())
                .put(event.eventVersion(), event));
        Map<String, Accounts.Balance> expected = new TreeMap<>();
        byVersion.forEach((account, events) -> events.values()
                .forEach(event -> expected.put(
                        account,
                        expected.getOrDefault(account, Accounts.Balance.NONE).plus(event))));
        bench.await("the read model", () -> bench.balances("balances").equals(expected));
        bench.await("nothing parked", () -> bench.parked("balances").isEmpty());
    }

    @Test
    void events_become_rows_and_are_acknowledged() throws Exception {
        write(events(20, 10));
        Running running = start(new Balances.Folded("balances"));
        awaitBalances();
        bench.await(
                "no lag", () -> running.manager().views().getFirst().lagEvents().equals(OptionalLong.of(0)));
        assertThat(bench.details("balances").segments()).isEmpty();
        running.stop();
        bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), queue.another()));
        write(List.of(Accounts.deposit("account-0", 11, 1)));
        awaitBalances();
        assertThat(bench.told.all(RecordingProjectionListener.Told.Applied.class).stream()
                        .mapToInt(RecordingProjectionListener.Told.Applied::duplicates)
                        .sum())
                .isZero();
    }

    @Test
    void duplicates_and_any_order_come_to_the_same() {
        List<EventEnvelope> events = new ArrayList<>(events(10, 20));
        events.addAll(List.copyOf(events));
        Collections.shuffle(events, new Random(42));
        write(events);
        start(new Balances("balances"));
        start(new Balances("balances"));
        awaitBalances();
    }

    @Test
    void a_gap_parks_its_aggregate_until_it_is_filled() {
        start(new Balances("balances"));
        write(List.of(
                Accounts.deposit("account-1", 1, 1),
                Accounts.deposit("account-1", 3, 1),
                Accounts.deposit("account-2", 1, 1)));
        bench.awaitParked("balances", "account-1", ParkReason.GAP);
        ParkedAggregate parked = bench.parked("balances").getFirst();
        assertThat(parked.attempts()).isZero();
        assertThat(parked.lastVersion()).isEqualTo(1);
        assertThat(parked.firstVersion()).isEqualTo(3);
        write(List.of(Accounts.deposit("account-1", 4, 1)));
        bench.await(
                "later events parked", () -> bench.parked("balances").getFirst().events() == 2);
        write(List.of(Accounts.deposit("account-1", 2, 1)));
        awaitBalances();
    }

    @Test
    void gaps_are_accepted_if_they_mean_nothing() {
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        new Balances("balances"),
                        queue.another(),
                        ManagerBench.OPTIONS.withGaps(ProjectionOptions.Gaps.ACCEPT)));
        write(List.of(
                Accounts.deposit("account-1", 2, 1),
                Accounts.deposit("account-1", 5, 1),
                Accounts.deposit("account-1", 9, 1)));
        awaitBalances();
        assertThat(bench.history("balances", "account-1")).containsExactly(2L, 5L, 9L);
    }

    @Test
    void an_undecodable_item_is_stored_and_acknowledged() throws Exception {
        queue.writeUndecodable("message-1");
        write(events(3, 3));
        queue.writeUndecodable("message-2");
        Running running = start(new Balances("balances"));
        awaitBalances();
        bench.await("both kept", () -> bench.details("balances").deadLetters() == 2);
        running.stop();
        start(new Balances("balances"));
        write(List.of(Accounts.deposit("account-9", 1, 1)));
        awaitBalances();
        assertThat(bench.told.all(RecordingProjectionListener.Told.Undecodable.class))
                .extracting(RecordingProjectionListener.Told.Undecodable::origin)
                .containsExactly("message-1", "message-2");
    }

    @Test
    void events_that_could_not_be_applied_are_redelivered() {
        FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
        store.failing.add("apply");
        Running running = bench.start(store, builder -> builder.add(new Balances("balances"), queue.another()));
        write(events(5, 5));
        bench.await("failures", () -> store.failures.get() > 2);
        bench.await(
                "an outage", () -> running.manager().views().getFirst().outage().isPresent());
        store.heal();
        awaitBalances();
    }

    @Test
    void poison_parks_its_aggregate_alone_and_a_pause_holds_everything() {
        AtomicBoolean fixed = new AtomicBoolean();
        start(new Balances("balances").failing(event -> {
            if (event.aggregateId().equals("account-2") && event.eventVersion() == 3 && !fixed.get()) {
                throw new ProjectionException(FailureKind.POISON, "a test wants it", null);
            }
        }));
        write(events(5, 5));
        bench.awaitParked("balances", "account-2", ParkReason.POISON);
        assertThat(bench.operations.pause("balances", ManagerBench.ACT)).isTrue();
        Map<String, Accounts.Balance> before = bench.balances("balances");
        fixed.set(true);
        bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
        write(List.of(Accounts.deposit("account-0", 6, 1)));
        bench.await(
                "the listener told",
                () -> bench.told
                        .all(RecordingProjectionListener.Told.Status.class)
                        .contains(new RecordingProjectionListener.Told.Status("balances", ProjectionStatus.PAUSED)));
        assertThat(bench.balances("balances")).isEqualTo(before);
        bench.operations.resume("balances", ManagerBench.ACT);
        awaitBalances();
    }
}
