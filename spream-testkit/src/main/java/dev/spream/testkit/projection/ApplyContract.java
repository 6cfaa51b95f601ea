package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.BOB;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.fence;
import static dev.spream.testkit.projection.ProjectionScenario.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of batches: their writes, and the cases in which they write nothing. */
interface ApplyContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void effects_versions_and_position_are_there_together() {
        Fence fence = given().running();
        assertThat(given().apply(fence, OptionalLong.of(7), event("a", 1), event("b", 1), event("a", 2)))
                .isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 2L), Map.entry("b", 1L));
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(2, false));
        assertThat(given().keyState(fence, "b")).isEqualTo(new AggregateState(1, false));
        assertThat(position()).isEqualTo(7);
    }

    private long position() {
        return given().details().segments().getFirst().position();
    }

    @Test
    default void the_work_is_given_the_states_of_all_aggregates_of_the_batch() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1), event("a", 2));
        given().park(fence, "b", ProjectionScenario.POISON, 1, 1);
        boolean applied = given().run(fence, Set.of("a", "b", "c"), (transaction, states) -> {
            assertThat(states)
                    .containsOnly(
                            Map.entry("a", new AggregateState(2, false)),
                            Map.entry("b", new AggregateState(0, true)),
                            Map.entry("c", AggregateState.NEW));
            return ProjectionScenario.NOTHING;
        });
        assertThat(applied).isTrue();
        assertThat(given().keyState(fence, "c")).isEqualTo(AggregateState.NEW);
    }

    @Test
    default void an_aggregate_id_may_be_long_and_of_any_characters() {
        Fence fence = given().running();
        String id = "ä'\"\\ %_\n€".repeat(100);
        given().run(fence, Set.of(id), (transaction, states) -> {
            given().add(transaction, id);
            return upTo(id, 1);
        });
        assertThat(given().keyState(fence, id)).isEqualTo(new AggregateState(1, false));
        assertThat(given().rows()).containsOnly(Map.entry(id, 1L));
    }

    @Test
    default void a_batch_of_many_aggregates_is_remembered_whole() {
        Fence fence = given().running();
        Map<String, Long> versions =
                IntStream.range(0, 500).boxed().collect(java.util.stream.Collectors.toMap(i -> "k" + i, i -> i + 1L));
        given().run(
                        fence,
                        versions.keySet(),
                        (transaction, states) -> new BatchCheckpoint(
                                versions, Map.of(), List.of(), OptionalLong.of(500), Optional.empty()));
        given().run(fence, versions.keySet(), (transaction, states) -> {
            assertThat(states).hasSize(500);
            states.forEach((key, state) ->
                    assertThat(state).isEqualTo(new AggregateState(versions.getOrDefault(key, 0L), false)));
            return ProjectionScenario.NOTHING;
        });
    }

    @Test
    default void nothing_is_there_if_the_work_fails_and_the_caller_is_given_its_failure() {
        Fence fence = given().running();
        given().apply(fence, OptionalLong.of(3), event("a", 1));
        IOException failure = new IOException("no such item");
        assertThatThrownBy(() -> given().store().apply(fence, Set.of("a", "b"), (transaction, states) -> {
                    given().add(transaction, "a");
                    given().add(transaction, "b");
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, false));
        assertThat(given().keyState(fence, "b")).isEqualTo(AggregateState.NEW);
        assertThat(position()).isEqualTo(3);
    }

    @Test
    default void the_same_batch_can_be_applied_after_it_has_failed() {
        Fence fence = given().running();
        assertThatThrownBy(() -> given().store().apply(fence, Set.of("a"), (transaction, states) -> {
                    given().add(transaction, "a");
                    throw new ProjectionException(FailureKind.TRANSIENT, "deadlock", null);
                }))
                .isInstanceOf(ProjectionException.class);
        assertThat(given().apply(fence, event("a", 1))).isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_batch_without_aggregates_moves_the_position() {
        Fence fence = given().running();
        assertThat(given().apply(fence, OptionalLong.of(11))).isTrue();
        assertThat(position()).isEqualTo(11);
        assertThat(given().apply(fence)).isTrue();
        assertThat(position()).isEqualTo(11);
    }

    @Test
    default void the_segments_of_a_projection_have_positions_of_their_own() {
        given().store().register(NAME, 2);
        List<SegmentLease> held = given().hold(ANN).held();
        given().apply(fence(ANN, held.get(1)), OptionalLong.of(9), event("a", 1));
        assertThat(given().details().segments())
                .extracting(ProjectionDetails.Segment::segment, ProjectionDetails.Segment::position)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(held.get(0).segment(), 0L),
                        org.assertj.core.groups.Tuple.tuple(held.get(1).segment(), 9L));
    }

    @Test
    default void a_batch_of_another_store_is_seen() {
        Fence fence = given().running();
        ProjectionScenario.run(given().fixture().anotherStore(), fence, Set.of("a"), (transaction, states) -> {
            given().add(transaction, "a");
            return upTo("a", 1);
        });
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(1, false));
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void no_write_succeeds_without_the_segment() {
        Fence.Segment anns = (Fence.Segment) given().running();
        refused(new Fence.Segment(NAME, BOB, anns.segment(), anns.epoch()));
        refused(new Fence.Segment(NAME, ProjectionOwner.of("ann"), anns.segment(), anns.epoch()));
        refused(new Fence.Segment(NAME, ANN, anns.segment(), anns.epoch() + 1));
        refused(new Fence.Segment(NAME, ANN, anns.segment(), anns.epoch() - 1));
        refused(new Fence.Segment(NAME, ANN, anns.segment() + 1, anns.epoch()));
        refused(new Fence.Segment("unknown", ANN, anns.segment(), anns.epoch()));
        refused(new Fence.Whole("unknown", 1));
        assertThat(given().apply(anns, event("a", 1))).isTrue();
    }

    /** Asserts that a batch is refused without running its work and without any change. */
    private void refused(Fence fence) {
        Map<String, Long> before = given().rows();
        boolean applied = given().run(fence, Set.of("z"), (transaction, states) -> {
            throw new AssertionError("the work was done");
        });
        assertThat(applied).isFalse();
        assertThat(given().rows()).isEqualTo(before);
    }

    @Test
    default void no_write_succeeds_after_loss_of_the_segment() {
        Fence fence = given().running();
        given().apply(fence, OptionalLong.of(3), event("a", 1));
        given().letLeasesRunOut();
        Fence bobs = given().fence(BOB);
        refused(fence);
        assertThat(given().apply(bobs, event("a", 2))).isTrue();
        given().letLeasesRunOut();
        given().fence(ANN);
        refused(fence);
        refused(bobs);
    }

    @Test
    default void no_write_succeeds_after_release_of_the_segment() {
        Fence fence = given().running();
        assertThat(given().store()
                        .holdSegments(NAME, ANN, Set.of(0), ProjectionScenario.LEASE)
                        .held())
                .isEmpty();
        refused(fence);
        Fence again = given().fence(ANN);
        assertThat(given().apply(again, event("a", 1))).isTrue();
        given().store().leave(NAME, ANN);
        refused(again);
    }

    @Test
    default void no_write_succeeds_while_the_projection_is_paused_or_has_failed() {
        Fence fence = given().running();
        assertThat(given().operations().pause(NAME, ACT)).isTrue();
        refused(fence);
        assertThat(given().operations().resume(NAME, ACT)).isTrue();
        Fence resumed = given().fence(ANN);
        assertThat(given().apply(resumed, event("a", 1))).isTrue();
        assertThat(given().fail(resumed, "no table")).isTrue();
        refused(resumed);
    }

    @Test
    default void without_segments_any_process_writes_while_the_status_is_the_same() {
        Fence.Whole fence = given().whole();
        assertThat(given().apply(fence, event("a", 1))).isTrue();
        assertThat(given().apply(fence, event("b", 1))).isTrue();
        refused(new Fence.Whole(NAME, fence.epoch() - 1));
        refused(new Fence.Whole(NAME, fence.epoch() + 1));
        given().operations().pause(NAME, ACT);
        refused(fence);
        refused(given().whole());
        given().operations().resume(NAME, ACT);
        refused(fence);
        assertThat(given().apply(given().whole(), event("a", 2))).isTrue();
        assertThat(given().keyState(given().whole(), "a")).isEqualTo(new AggregateState(2, false));
    }
}
