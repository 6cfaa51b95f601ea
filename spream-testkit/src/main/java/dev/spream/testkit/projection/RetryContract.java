package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.event.TestEvents.events;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.BOB;
import static dev.spream.testkit.projection.ProjectionScenario.DELAY;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static dev.spream.testkit.projection.ProjectionScenario.transientlyFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import dev.spream.testkit.event.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of retries of parked aggregates. */
interface RetryContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void an_aggregate_all_of_whose_events_are_applied_is_not_parked_any_more() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", transientlyFor(Duration.ZERO), 2, 4);
        assertThat(given().retry(fence, "a")).contains(new AggregateState(4, false));
        assertThat(given().rows()).containsOnly(Map.entry("a", 4L));
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(4, false));
        assertThat(given().parked()).isEmpty();
        assertThat(given().due(fence)).isEmpty();
        assertThat(given().details().parkedEvents()).isZero();
        assertThat(given().apply(fence, event("a", 5))).isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 5L));
    }

    @Test
    default void the_work_is_given_the_last_version_and_the_first_events_up_to_the_limit() throws Exception {
        Fence fence = given().running();
        given().apply(fence, event("a", 1), event("a", 2));
        given().park(fence, "a", transientlyFor(Duration.ZERO), 3, 9);
        List<EventEnvelope> found = new ArrayList<>();
        Optional<AggregateState> state = given().store().retry(fence, "a", 3, (transaction, lastVersion, events) -> {
            assertThat(lastVersion).isEqualTo(2);
            found.addAll(events);
            return 5;
        });
        TestEvents.assertSame(found, events("a", 3, 5));
        assertThat(state).contains(new AggregateState(5, true));
        assertThat(given().parked("a").events()).isEqualTo(4);
        assertThat(given().due(fence)).as("is due at once").containsExactly("a");
        assertThat(given().retry(fence, "a")).contains(new AggregateState(9, false));
    }

    @Test
    default void events_up_to_the_version_that_the_work_returned_are_forgotten_and_no_others() throws Exception {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 3);
        given().store()
                .postpone(
                        fence,
                        "a",
                        new RetryGuard(1, 1),
                        new ParkDecision(ParkReason.TRANSIENT, 3, "timeout", Optional.of(DELAY)));
        assertThat(given().store().retry(fence, "a", 10, (transaction, lastVersion, events) -> {
                    given().add(transaction, "a");
                    return 1;
                }))
                .contains(new AggregateState(1, true));
        ParkedAggregate left = given().parked("a");
        assertThat(left.lastVersion()).isEqualTo(1);
        assertThat(left.firstVersion()).isEqualTo(2);
        assertThat(left.events()).isEqualTo(2);
        assertThat(left.attempts()).as("at the event that is the first now").isZero();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_retry_that_applies_nothing_changes_nothing() throws Exception {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", ProjectionScenario.GAP, 3, 4);
        ParkedAggregate before = given().parked("a");
        assertThat(given().store().retry(fence, "a", 10, (transaction, lastVersion, events) -> lastVersion))
                .contains(new AggregateState(1, true));
        assertThat(given().parked("a")).isEqualTo(before);
    }

    @Test
    default void events_may_be_applied_over_a_gap() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", ProjectionScenario.GAP, 4, 5);
        assertThat(given().retry(fence, "a")).contains(new AggregateState(5, false));
    }

    @Test
    default void nothing_changes_if_the_work_fails_and_the_caller_is_given_its_failure() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 2);
        ParkedAggregate before = given().parked("a");
        IllegalStateException failure = new IllegalStateException("no such item");
        assertThatThrownBy(() -> given().store().retry(fence, "a", 10, (transaction, lastVersion, events) -> {
                    given().add(transaction, "a");
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(given().rows()).isEmpty();
        assertThat(given().parked("a")).isEqualTo(before);
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(0, true));
        assertThat(given().retry(fence, "a")).contains(new AggregateState(2, false));
    }

    @Test
    default void what_is_not_parked_is_not_tried() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        assertThat(given().retry(fence, "a")).isEmpty();
        assertThat(given().retry(fence, "b")).isEmpty();
        given().park(fence, "c", transientlyFor(Duration.ZERO), 1, 1);
        assertThat(given().retry(fence, "c")).isPresent();
        assertThat(given().retry(fence, "c")).isEmpty();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L), Map.entry("c", 1L));
    }

    @Test
    default void an_aggregate_is_retried_only_under_the_fence() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 1);
        given().letLeasesRunOut();
        Fence bobs = given().fence(BOB);
        assertThat(given().retry(fence, "a")).isEmpty();
        assertThat(given().retry(new Fence.Whole("unknown", 1), "a")).isEmpty();
        given().operations().pause(NAME, ACT);
        assertThat(given().retry(bobs, "a")).isEmpty();
        assertThat(given().rows()).isEmpty();
        given().operations().resume(NAME, ACT);
        assertThat(given().retry(given().fence(BOB), "a")).contains(new AggregateState(1, false));
    }

    @Test
    default void an_aggregate_is_not_retried_during_another_retry() {
        Fence fence = given().whole();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 1);
        ProjectionScenario<T>.Open open = given().retrying(fence, "a");
        Future<Optional<AggregateState>> second = given().threads().start(() -> given().retry(fence, "a"));
        assertThat(Threads.resultOf(second)).isEmpty();
        assertThat(open.end()).isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_batch_waits_for_a_retry_of_its_aggregate_and_reads_the_result() {
        Fence fence = given().whole();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 2);
        ProjectionScenario<T>.Open open = given().retrying(fence, "a");
        Future<AggregateState> apply = given().threads().start(() -> given().keyState(fence, "a"));
        Threads.assertWaits(apply);
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(apply)).isEqualTo(new AggregateState(2, false));
    }

    @Test
    default void while_a_batch_with_the_aggregate_is_open_it_is_not_tried_or_not_before_that_has_ended() {
        Fence fence = given().whole();
        given().park(fence, "a", POISON, 1, 1);
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("b", 1), event("a", 1));
        Future<Optional<AggregateState>> retry = given().threads().start(() -> given().retry(fence, "a"));
        if (Threads.endsAtOnce(retry)) {
            assertThat(Threads.resultOf(retry)).isEmpty();
        }
        assertThat(open.end()).isTrue();
    }

    @Test
    default void events_that_come_while_others_are_tried_are_neither_lost_nor_applied_twice() throws Exception {
        Fence fence = given().whole();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 1);
        given().park(fence, events("a", 2, 9));
        Callable<Boolean> coming = () -> {
            for (int version = 10; version <= 40; version++) {
                come(fence, event("a", version));
            }
            return true;
        };
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        Callable<Boolean> trying = () -> {
            while (given().keyState(fence, "a").lastVersion() < 20 && isRunning(end)) {
                given().store().retry(fence, "a", 3, (transaction, lastVersion, events) -> {
                    for (EventEnvelope event : events) {
                        given().add(transaction, event.aggregateId());
                    }
                    return events.getLast().eventVersion();
                });
            }
            return true;
        };
        given().threads().together(List.of(coming, trying, trying));
        while (given().keyState(fence, "a").parked() && isRunning(end)) {
            given().retry(fence, "a");
        }
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(40, false));
        assertThat(given().rows()).containsOnly(Map.entry("a", 40L));
    }

    private static boolean isRunning(long end) {
        return System.nanoTime() < end && !Thread.currentThread().isInterrupted();
    }

    /** Handles an event as an engine does: applies it, or parks it. */
    private void come(Fence fence, EventEnvelope event) {
        String key = event.aggregateId();
        given().run(fence, ProjectionScenario.keys(event), (transaction, states) -> {
            if (states.getOrDefault(key, AggregateState.NEW).parked()) {
                return new BatchCheckpoint(Map.of(), Map.of(), List.of(event), OptionalLong.empty(), Optional.empty());
            }
            given().add(transaction, key);
            return ProjectionScenario.upTo(key, event.eventVersion());
        });
    }

    @Test
    default void of_concurrent_retries_of_an_aggregate_one_runs() {
        Fence fence = given().whole();
        for (int round = 1; round <= 5; round++) {
            String key = "key " + round;
            given().park(fence, key, transientlyFor(Duration.ZERO), 1, 2);
            List<Optional<AggregateState>> tried = given().threads()
                    .together(IntStream.range(0, 6)
                            .mapToObj(i -> (Callable<Optional<AggregateState>>) () -> given().retry(fence, key))
                            .toList());
            assertThat(tried).filteredOn(Optional::isPresent).hasSize(1);
        }
        assertThat(given().rows())
                .hasSize(5)
                .allSatisfy((row, value) -> assertThat(value).isEqualTo(2));
    }
}
