package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.event.TestEvents.events;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.DELAY;
import static dev.spream.testkit.projection.ProjectionScenario.GAP;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static dev.spream.testkit.projection.ProjectionScenario.fence;
import static dev.spream.testkit.projection.ProjectionScenario.transientlyFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of parked aggregates, and of when they are due. */
interface ParkContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void an_aggregate_is_parked_in_the_transaction_of_what_was_applied() {
        Fence fence = given().running();
        given().run(fence, Set.of("a", "b"), (transaction, states) -> {
            given().add(transaction, "a");
            given().add(transaction, "b");
            return new BatchCheckpoint(
                    Map.of("a", 1L, "b", 1L),
                    Map.of("a", transientlyFor(DELAY)),
                    events("a", 2, 4),
                    OptionalLong.of(5),
                    Optional.of(event("a", 4)));
        });
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, true));
        assertThat(given().keyState(fence, "b")).isEqualTo(new AggregateState(1, false));
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L), Map.entry("b", 1L));
        assertThat(given().details().segments().getFirst().position()).isEqualTo(5);
        ParkedAggregate parked = given().parked("a");
        assertThat(parked.reason()).isEqualTo(ParkReason.TRANSIENT);
        assertThat(parked.lastVersion()).isEqualTo(1);
        assertThat(parked.firstVersion()).isEqualTo(2);
        assertThat(parked.events()).isEqualTo(3);
        assertThat(parked.attempts()).isEqualTo(1);
        assertThat(parked.error()).isEqualTo("deadlock");
        assertThat(parked.nextTry().orElseThrow()).isBetween(Duration.ofMillis(1), DELAY);
    }

    @Test
    default void nothing_is_parked_if_the_work_fails() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 1);
        assertThatThrownBy(() -> given().store().apply(fence, Set.of("a", "b"), (transaction, states) -> {
                    throw new IllegalStateException("no such item");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(given().parked()).extracting(ParkedAggregate::key).containsExactly("a");
    }

    @Test
    default void events_are_parked_completely_in_the_order_of_their_versions() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 3, 4);
        given().park(fence, events("a", 5, 5));
        given().park(fence, List.of(event("a", 2), event("a", 1)));
        assertThat(given().parked("a").firstVersion()).isEqualTo(1);
        List<EventEnvelope> found = new ArrayList<>();
        given().retry(fence, "a", found);
        TestEvents.assertSame(found, events("a", 1, 5));
    }

    @Test
    default void events_that_are_parked_again_stay_as_they_are() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 3);
        EventEnvelope other = TestEvents.newEvent("another").of("a", 2);
        given().park(fence, List.of(event("a", 1), other, event("a", 3), event("a", 4)));
        assertThat(given().parked("a").events()).isEqualTo(4);
        List<EventEnvelope> found = new ArrayList<>();
        given().retry(fence, "a", found);
        TestEvents.assertSame(found, events("a", 1, 4));
        assertThat(given().details().parkedEvents()).isZero();
    }

    @Test
    default void the_details_count_what_is_parked() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 3);
        given().park(fence, "b", transientlyFor(DELAY), 1, 1);
        assertThat(given().details().parkedKeys()).isEqualTo(2);
        assertThat(given().details().parkedEvents()).isEqualTo(4);
    }

    @Test
    default void the_summary_separates_aggregates_that_wait_for_an_operator() {
        Fence fence = given().running();
        assertThat(given().store().parkedSummary(NAME)).isEqualTo(ParkedSummary.NONE);
        assertThat(given().store().parkedSummary("another")).isEqualTo(ParkedSummary.NONE);
        given().park(fence, "a", transientlyFor(DELAY), 1, 1);
        given().fixture().passTime(Duration.ofMinutes(2));
        given().park(given().fence(ANN), "b", POISON, 1, 3);
        given().park(given().fence(ANN), "c", GAP, 2, 2);
        ParkedSummary summary = given().store().parkedSummary(NAME);
        assertThat(summary.aggregates()).isEqualTo(3);
        assertThat(summary.events()).isEqualTo(5);
        assertThat(summary.waiting()).isEqualTo(1);
        assertThat(summary.firstError()).contains("no such item");
        assertThat(summary.longest().orElseThrow()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(4));
    }

    @Test
    default void a_parked_aggregate_is_due_when_its_delay_is_over() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(DELAY), 1, 1);
        assertThat(given().due(fence)).isEmpty();
        given().fixture().passTime(DELAY.minusSeconds(5));
        assertThat(given().due(fence)).isEmpty();
        given().fixture().passTime(Duration.ofSeconds(6));
        assertThat(given().due(fence)).containsExactly("a");
        assertThat(given().store().due(fence, 1).getFirst().nextTry()).contains(Duration.ZERO);
        assertThat(given().parked("a").nextTry()).contains(Duration.ZERO);
    }

    @Test
    default void an_aggregate_that_waits_for_an_operator_is_never_due() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 1);
        given().fixture().passTime(Duration.ofDays(400));
        assertThat(given().parked("a").nextTry()).isEmpty();
        assertThat(given().due(given().fence(ANN))).isEmpty();
    }

    @Test
    default void those_due_longest_come_first_and_no_more_than_the_limit() {
        Fence fence = given().running();
        given().park(fence, "b", transientlyFor(Duration.ofSeconds(2)), 1, 1);
        given().park(fence, "c", transientlyFor(Duration.ofSeconds(3)), 1, 1);
        given().park(fence, "a", transientlyFor(Duration.ofSeconds(1)), 1, 1);
        given().park(fence, "d", transientlyFor(DELAY), 1, 1);
        given().fixture().passTime(Duration.ofSeconds(10));
        assertThat(given().due(fence)).containsExactly("a", "b", "c");
        assertThat(given().store().due(fence, 2))
                .extracting(ParkedAggregate::key)
                .containsExactly("a", "b");
    }

    @Test
    default void an_aggregate_with_a_gap_is_due_when_the_missing_event_has_come() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", GAP, 3, 4);
        given().park(fence, "b", new ParkDecision(ParkReason.GAP, 0, "a gap", Optional.of(DELAY)), 2, 2);
        assertThat(given().due(fence)).isEmpty();
        given().park(fence, List.of(event("a", 5), event("b", 3)));
        assertThat(given().due(fence)).isEmpty();
        given().park(fence, List.of(event("a", 2)));
        assertThat(given().due(fence)).containsExactly("a");
        List<EventEnvelope> found = new ArrayList<>();
        assertThat(given().retry(fence, "a", found)).contains(new AggregateState(5, false));
        assertThat(TestEvents.ids(found)).containsExactly("a#2", "a#3", "a#4", "a#5");
        given().fixture().passTime(DELAY.plusSeconds(1));
        assertThat(given().due(fence)).containsExactly("b");
    }

    @Test
    default void due_parked_aggregates_are_returned_by_segment_or_all_without_segments() {
        given().store().register(NAME, 2);
        List<SegmentLease> held = given().hold(ANN).held();
        Fence first = fence(ANN, held.get(0));
        Fence second = fence(ANN, held.get(1));
        given().park(first, "a", transientlyFor(Duration.ZERO), 1, 1);
        given().park(second, "b", transientlyFor(Duration.ZERO), 1, 1);
        assertThat(given().due(first)).containsExactly("a");
        assertThat(given().due(second)).containsExactly("b");
    }

    @Test
    default void due_segments_are_those_with_due_aggregates() {
        given().store().register(NAME, 4);
        List<SegmentLease> held = given().hold(ANN).held();
        given().park(fence(ANN, held.get(1)), "a", transientlyFor(DELAY), 1, 1);
        given().park(fence(ANN, held.get(2)), "b", POISON, 1, 1);
        given().park(fence(ANN, held.get(3)), "c", transientlyFor(Duration.ZERO), 1, 1);
        int first = held.get(1).segment();
        int third = held.get(3).segment();
        assertThat(given().store().dueSegments(NAME)).containsExactly(third);
        given().fixture().passTime(DELAY.plusSeconds(1));
        assertThat(given().store().dueSegments(NAME)).containsExactlyInAnyOrder(first, third);
        given().operations().retry(NAME, Optional.of("b"), ProjectionScenario.ACT);
        assertThat(given().fixture().anotherStore().dueSegments(NAME))
                .containsExactlyInAnyOrder(first, held.get(2).segment(), third);
        assertThat(given().store().dueSegments("unknown")).isEmpty();
    }

    @Test
    default void without_segments_all_due_aggregates_are_returned() {
        Fence fence = given().whole();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 1);
        given().park(fence, "b", transientlyFor(Duration.ZERO), 1, 1);
        assertThat(given().fixture().anotherStore().due(fence, 10))
                .extracting(ParkedAggregate::key)
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    default void those_that_the_last_owner_parked_are_due_at_the_next() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(DELAY), 1, 1);
        given().letLeasesRunOut();
        assertThat(given().due(given().fence(ProjectionScenario.BOB))).containsExactly("a");
    }

    @Test
    default void a_failed_retry_sets_the_time_of_the_next() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 2);
        ParkDecision later = new ParkDecision(ParkReason.TRANSIENT, 2, "timeout", Optional.of(DELAY));
        assertThat(given().store().postpone(fence, "a", new RetryGuard(1, 1), later))
                .isTrue();
        assertThat(given().due(fence)).isEmpty();
        ParkedAggregate postponed = given().parked("a");
        assertThat(postponed.attempts()).isEqualTo(2);
        assertThat(postponed.error()).isEqualTo("timeout");
        assertThat(postponed.events()).isEqualTo(2);
        assertThat(given().store().postpone(fence, "a", new RetryGuard(1, 2), POISON))
                .isTrue();
        assertThat(given().parked("a").reason()).isEqualTo(ParkReason.POISON);
        assertThat(given().parked("a").nextTry()).isEmpty();
    }

    @Test
    default void only_a_parked_aggregate_is_postponed_and_only_under_the_fence() {
        Fence fence = given().running();
        assertThat(given().store().postpone(fence, "a", new RetryGuard(1, 1), POISON))
                .isFalse();
        assertThat(given().parked()).isEmpty();
        given().park(fence, "b", transientlyFor(Duration.ZERO), 1, 1);
        given().letLeasesRunOut();
        Fence bobs = given().fence(ProjectionScenario.BOB);
        assertThat(given().store().postpone(fence, "b", new RetryGuard(1, 1), POISON))
                .isFalse();
        assertThat(given().parked("b").reason()).isEqualTo(ParkReason.TRANSIENT);
        assertThat(given().due(bobs)).containsExactly("b");
    }

    @Test
    default void what_failed_changes_nothing_if_the_event_was_skipped_meanwhile() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 2);
        assertThat(given().operations().skip(ProjectionScenario.NAME, "a", 1, ProjectionScenario.ACT))
                .isTrue();
        ParkedAggregate skipped = given().parked("a");
        assertThat(given().store().postpone(fence, "a", new RetryGuard(1, 0), POISON))
                .isFalse();
        assertThat(given().parked("a")).isEqualTo(skipped);
        assertThat(given().due(fence)).containsExactly("a");
    }

    @Test
    default void a_failed_attempt_changes_nothing_after_an_operators_retry() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 2);
        given().operations().retry(ProjectionScenario.NAME, Optional.of("a"), ProjectionScenario.ACT);
        assertThat(given().store().postpone(fence, "a", new RetryGuard(1, 1), POISON))
                .isFalse();
        assertThat(given().parked("a").reason()).isEqualTo(ParkReason.TRANSIENT);
        assertThat(given().due(fence)).containsExactly("a");
    }
}
