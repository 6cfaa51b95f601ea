package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.DELAY;
import static dev.spream.testkit.projection.ProjectionScenario.GAP;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static dev.spream.testkit.projection.ProjectionScenario.transientlyFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.spream.projection.AggregateState;
import dev.spream.projection.AuditedAction;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import dev.spream.testkit.event.TestEvents;
import dev.spream.testkit.event.Threads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of parked aggregates that an operator inspects, retries or skips. */
interface ParkedOperationsContract<T> extends ProjectionScenario.Stage<T> {

    private int retry(String key) {
        return given().operations().retry(NAME, Optional.of(key), ACT);
    }

    private boolean skip(String key, long version) {
        return given().operations().skip(NAME, key, version, ACT);
    }

    @Test
    default void parked_aggregates_are_listed_those_parked_first_at_the_front_and_no_more_than_the_limit() {
        Fence fence = given().running();
        for (String key : List.of("b", "c", "a")) {
            given().park(fence, key, POISON, 1, 1);
            given().fixture().passTime(Duration.ofSeconds(1));
        }
        given().park(fence, List.of(event("b", 2)));
        given().store().postpone(fence, "b", new RetryGuard(1, 4), transientlyFor(DELAY));
        assertThat(given().parked()).extracting(ParkedAggregate::key).containsExactly("b", "c", "a");
        assertThat(given().operations().parked(NAME, 2))
                .extracting(ParkedAggregate::key)
                .containsExactly("b", "c");
        assertThat(given().parked().getFirst().since())
                .isBefore(given().parked().getLast().since());
        assertThat(given().operations().parked("unknown", 10)).isEmpty();
    }

    @Test
    default void an_aggregate_that_waits_is_due_at_once_with_all_attempts() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 2);
        given().park(fence, "b", transientlyFor(DELAY), 1, 1);
        given().park(fence, "c", transientlyFor(DELAY), 1, 1);
        assertThat(retry("a")).isEqualTo(1);
        assertThat(given().due(fence)).containsExactly("a");
        assertThat(given().parked("a").attempts()).isZero();
        assertThat(given().parked("a").nextTry()).contains(Duration.ZERO);
        assertThat(given().parked("a").events()).isEqualTo(2);
        assertThat(retry("b")).isEqualTo(1);
        assertThat(given().due(fence)).containsExactlyInAnyOrder("a", "b");
        assertThat(given().retry(fence, "a")).contains(new AggregateState(2, false));
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT, ACT);
    }

    @Test
    default void all_parked_aggregates_are_tried_again_of_that_projection() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 1);
        given().park(fence, "b", GAP, 2, 2);
        given().store().register("other", 0);
        assertThat(given().operations().retry("other", Optional.empty(), ACT)).isZero();
        assertThat(given().due(fence)).isEmpty();
        assertThat(given().operations().retry(NAME, Optional.empty(), ACT)).isEqualTo(2);
        assertThat(given().due(fence)).containsExactlyInAnyOrder("a", "b");
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT);
    }

    @Test
    default void what_is_not_parked_is_not_tried_again() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        assertThat(retry("a")).isZero();
        assertThat(given().operations().retry(NAME, Optional.empty(), ACT)).isZero();
        assertThat(given().operations().retry("unknown", Optional.empty(), ACT)).isZero();
        assertThat(given().parked()).isEmpty();
    }

    @Test
    default void the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", POISON, 2, 4);
        assertThat(skip("a", 2)).isTrue();
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(2, true));
        ParkedAggregate left = given().parked("a");
        assertThat(left.firstVersion()).isEqualTo(3);
        assertThat(left.events()).isEqualTo(2);
        assertThat(left.lastVersion()).isEqualTo(2);
        assertThat(left.attempts()).isZero();
        assertThat(given().due(fence)).containsExactly("a");
        assertThat(given().fixture().deadLetters(NAME)).containsExactly("a#2");
        assertThat(given().details().deadLetters()).isEqualTo(1);
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT);
        List<EventEnvelope> found = new ArrayList<>();
        assertThat(given().retry(fence, "a", found)).contains(new AggregateState(4, false));
        assertThat(TestEvents.ids(found)).containsExactly("a#3", "a#4");
        assertThat(given().rows()).containsOnly(Map.entry("a", 3L));
    }

    @Test
    default void dead_letters_are_listed_with_all_that_they_hold_the_last_first() {
        Fence fence = given().running();
        FeedItem.Undecodable item = new FeedItem.Undecodable(
                1,
                "message 1",
                ByteBuffer.wrap(new byte[] {0, -1, 'x'}),
                Map.of("key", "value\u20ac \0"),
                "no JSON",
                TestEvents.NOON);
        given().store().deadLetter(NAME, item);
        given().park(fence, "a", POISON, 1, 2);
        skip("a", 1);
        List<ProjectionDeadLetter> letters = given().operations().deadLetters(NAME, 10);
        assertThat(letters).hasSize(2);
        assertThat(letters.getFirst()).isInstanceOfSatisfying(ProjectionDeadLetter.Skipped.class, skipped -> {
            assertThat(skipped.event()).isEqualTo(event("a", 1));
            assertThat(skipped.reason()).isEqualTo(POISON.error());
        });
        assertThat(letters.getLast()).isInstanceOfSatisfying(ProjectionDeadLetter.Undecodable.class, undecodable -> {
            assertThat(undecodable.reason()).isEqualTo("no JSON");
            assertThat(undecodable.item())
                    .usingRecursiveComparison()
                    .ignoringFields("deliveryId")
                    .isEqualTo(item);
        });
        assertThat(letters.getFirst().id()).isGreaterThan(letters.getLast().id());
        assertThat(letters.getFirst().keptAt())
                .isAfterOrEqualTo(letters.getLast().keptAt());
        assertThat(given().operations().deadLetters(NAME, 1)).containsExactly(letters.getFirst());
        given().store().register("other", 0);
        assertThat(given().operations().deadLetters("other", 10)).isEmpty();
        assertThat(given().operations().deadLetters("unknown", 10)).isEmpty();
    }

    @Test
    default void what_was_changed_is_listed_with_what_became_of_it_the_last_first() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 3);
        given().park(fence, "b", POISON, 1, 1);
        Act first = new Act("ann@example", "it writes too much");
        given().operations().pause(NAME, first);
        given().operations().resume(NAME, ACT);
        skip("a", 1);
        retry("a");
        given().operations().retry(NAME, Optional.empty(), ACT);
        List<AuditedAction> audit = given().operations().audit(NAME, 10);
        assertThat(audit)
                .extracting(AuditedAction::action, AuditedAction::outcome)
                .containsExactly(
                        tuple("retry", "2 parked aggregates"),
                        tuple("retry", "'a'"),
                        tuple("skip", "version 1 of 'a'"),
                        tuple("resume", "PAUSED -> RUNNING"),
                        tuple("pause", "RUNNING -> PAUSED"));
        assertThat(audit.getLast().act()).isEqualTo(first);
        assertThat(audit.getFirst().at()).isAfterOrEqualTo(audit.getLast().at());
        assertThat(given().operations().audit(NAME, 2)).isEqualTo(audit.subList(0, 2));
        assertThat(given().operations().audit("unknown", 10)).isEmpty();
    }

    @Test
    default void an_aggregate_whose_only_event_is_skipped_is_not_parked_any_more() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 1);
        assertThat(skip("a", 1)).isTrue();
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, false));
        assertThat(given().parked()).isEmpty();
        assertThat(given().apply(fence, event("a", 2))).isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void another_event_than_the_first_is_not_passed_over_nor_one_of_what_is_not_parked() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 2, 4);
        given().apply(fence, event("b", 1));
        ParkedAggregate before = given().parked("a");
        assertThat(skip("a", 1)).isFalse();
        assertThat(skip("a", 3)).isFalse();
        assertThat(skip("b", 1)).isFalse();
        assertThat(skip("c", 1)).isFalse();
        assertThat(given().operations().skip("unknown", "a", 2, ACT)).isFalse();
        assertThat(given().parked()).containsExactly(before);
        assertThat(given().fixture().deadLetters(NAME)).isEmpty();
        assertThat(given().fixture().audit(NAME)).isEmpty();
        assertThat(given().keyState(fence, "b")).isEqualTo(new AggregateState(1, false));
    }

    @Test
    default void an_event_behind_a_missing_one_is_not_passed_over_until_that_has_come() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", ProjectionScenario.GAP, 3, 4);
        ParkedAggregate before = given().parked("a");
        assertThatThrownBy(() -> skip("a", 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "version 2 of aggregate 'a' of projection '" + NAME + "'", "nothing was changed");
        assertThat(given().parked("a").firstVersion()).isEqualTo(before.firstVersion());
        assertThat(given().parked("a").events()).isEqualTo(2);
        assertThat(given().fixture().deadLetters(NAME)).isEmpty();
        assertThat(given().fixture().audit(NAME)).isEmpty();
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, true));
        given().park(fence, List.of(event("a", 2)));
        assertThat(skip("a", 2)).isTrue();
        assertThat(skip("a", 3)).isTrue();
        assertThat(given().fixture().deadLetters(NAME)).containsExactly("a#2", "a#3");
    }

    @Test
    default void an_event_that_was_tried_can_be_passed_over_whatever_its_version() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        given().park(fence, "a", POISON, 5, 5);
        assertThat(skip("a", 5)).isTrue();
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(5, false));
    }

    @Test
    default void parked_aggregates_of_a_paused_projection_can_be_retried_and_skipped() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 2);
        given().operations().pause(NAME, ACT);
        assertThat(skip("a", 1)).isTrue();
        assertThat(retry("a")).isEqualTo(1);
        given().operations().resume(NAME, ACT);
        Fence resumed = given().fence(ProjectionScenario.ANN);
        assertThat(given().due(resumed)).containsExactly("a");
        assertThat(given().retry(resumed, "a")).contains(new AggregateState(2, false));
    }

    @Test
    default void of_concurrent_skips_of_an_event_one_succeeds() {
        Fence fence = given().running();
        given().park(fence, "a", POISON, 1, 3);
        Callable<Boolean> call = () -> skip("a", 1);
        assertThat(given().threads().together(Collections.nCopies(6, call))).containsOnlyOnce(true);
        assertThat(given().parked("a").firstVersion()).isEqualTo(2);
        assertThat(given().fixture().deadLetters(NAME)).containsExactly("a#1");
        assertThat(given().fixture().audit(NAME)).hasSize(1);
    }

    @Test
    default void a_skip_waits_for_a_retry_of_the_event_and_finds_it_applied() {
        Fence fence = given().running();
        given().park(fence, "a", transientlyFor(Duration.ZERO), 1, 1);
        ProjectionScenario<T>.Open open = given().retrying(fence, "a");
        Future<Boolean> skip = given().threads().start(() -> skip("a", 1));
        Threads.assertWaits(skip);
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(skip)).isFalse();
        assertThat(given().fixture().deadLetters(NAME)).isEmpty();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, false));
    }

    @Test
    default void a_skip_during_a_batch_that_parks_more_loses_nothing() {
        Fence fence = given().whole();
        given().park(fence, "a", POISON, 1, 2);
        ProjectionScenario<T>.Open open =
                given().applying(fence, OptionalLong.empty(), List.of(event("a", 3)), event("b", 1));
        Future<Boolean> skip = given().threads().start(() -> skip("a", 1));
        if (Threads.endsAtOnce(skip)) {
            assertThat(Threads.resultOf(skip)).isTrue();
        }
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(skip)).isTrue();
        List<EventEnvelope> found = new ArrayList<>();
        assertThat(given().retry(fence, "a", found)).contains(new AggregateState(3, false));
        assertThat(TestEvents.ids(found)).containsExactly("a#2", "a#3");
    }
}
