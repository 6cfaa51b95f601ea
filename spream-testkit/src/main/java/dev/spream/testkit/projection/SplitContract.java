package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.LEASE;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static dev.spream.testkit.projection.ProjectionScenario.fence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import dev.spream.projection.AggregateState;
import dev.spream.projection.AuditedAction;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.SegmentLease;
import dev.spream.testkit.event.Threads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of splitting a projection into another number of segments. */
interface SplitContract<T> extends ProjectionScenario.Stage<T> {

    private boolean split(int segments) {
        return given().operations().split(NAME, segments, ACT);
    }

    /** Returns a fence of each segment, all held by the owner. */
    private List<Fence> fences(ProjectionOwner owner) {
        return given().store().holdSegments(NAME, owner, Set.of(), LEASE).held().stream()
                .sorted(Comparator.comparingInt(SegmentLease::segment))
                .map(lease -> fence(owner, lease))
                .toList();
    }

    @Test
    default void new_segments_begin_where_the_furthest_behind_of_the_old_ones_was() {
        given().store().register(NAME, 4);
        List<Fence> old = fences(ANN);
        for (int segment = 0; segment < 4; segment++) {
            given().apply(old.get(segment), OptionalLong.of(10 + segment), event("a" + segment, 1));
        }
        long epoch = given().state().epoch();
        assertThat(split(8)).isTrue();
        assertThat(given().state().segments()).isEqualTo(8);
        assertThat(given().state().epoch()).isGreaterThan(epoch);
        assertThat(given().details().segments())
                .hasSize(8)
                .allMatch(segment -> segment.position() == 10 && segment.owner().isEmpty());
        assertThat(given().hold(ANN)).satisfies(share -> {
            assertThat(share.segments()).isEqualTo(8);
            assertThat(share.held())
                    .hasSize(8)
                    .extracting(SegmentLease::position)
                    .containsOnly(10L);
        });
        assertThat(given().keyState(given().fence(ANN), "a3"))
                .as("what is read again is known")
                .isEqualTo(new AggregateState(1, false));
        assertThat(given().operations().audit(NAME, 1))
                .extracting(AuditedAction::action, AuditedAction::outcome)
                .containsExactly(tuple("segments", "4 -> 8"));
        assertThat(split(2)).isTrue();
        assertThat(given().details().segments()).hasSize(2);
        assertThat(given().store().register(NAME, 4).segments())
                .as("segments, though its owners were told of four")
                .isEqualTo(2);
    }

    @Test
    default void an_earlier_owner_writes_nothing_after_a_change_of_the_segment_count() {
        given().store().register(NAME, 4);
        List<Fence> zombies = new ArrayList<>(fences(ANN));
        for (int i = 0; i < 5; i++) {
            given().store().holdSegments(NAME, ANN, Set.of(1), LEASE);
            zombies.add(fences(ANN).get(1)); // had more owners than the others
        }
        for (int segments : new int[] {2, 8, 4}) {
            assertThat(split(segments)).isTrue();
            List<Fence> held = fences(ANN);
            assertThat(held).hasSize(segments);
            for (Fence zombie : zombies) {
                assertThat(given().apply(zombie, event("a", 1)))
                        .as("%s", zombie)
                        .isFalse();
            }
            zombies.addAll(held);
        }
        assertThat(new HashSet<>(zombies)).as("fences of their own").hasSize(4 + 5 + 2 + 8 + 4);
        assertThat(given().rows()).isEmpty();
    }

    @Test
    default void it_waits_for_the_batches_that_are_being_applied() {
        given().store().register(NAME, 1);
        ProjectionScenario<T>.Open open = given().applying(given().fence(ANN), OptionalLong.of(7), event("a", 1));
        Future<Boolean> split = given().threads().start(() -> split(2));
        assertThat(split).isNotDone();
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(split)).isTrue();
        assertThat(given().details().segments())
                .extracting(ProjectionDetails.Segment::position)
                .containsExactly(7L, 7L);
        assertThat(given().rows()).containsEntry("a", 1L);
    }

    @Test
    default void parked_aggregates_stay_and_are_tried_again_by_one_of_the_new_segments() {
        given().store().register(NAME, 4);
        List<Fence> old = fences(ANN);
        for (int segment = 0; segment < 4; segment++) {
            given().park(old.get(segment), "a" + segment, POISON, 1, 3);
        }
        for (int segments : new int[] {8, 1, 4}) {
            assertThat(split(segments)).isTrue();
            given().operations().retry(NAME, Optional.empty(), ACT);
            assertThat(fences(ANN).stream().flatMap(fence -> given().due(fence).stream()))
                    .containsExactlyInAnyOrder("a0", "a1", "a2", "a3");
        }
        for (Fence fence : fences(ANN)) {
            given().due(fence).forEach(key -> given().retry(fence, key));
        }
        assertThat(given().parked()).isEmpty();
        assertThat(given().rows()).containsOnlyKeys("a0", "a1", "a2", "a3").containsValue(3L);
    }

    @Test
    default void all_versions_are_split_and_none_is_ahead_of_the_live_one() {
        given().store().register(NAME, 2);
        List<Fence> old = fences(ANN);
        given().apply(old.get(0), OptionalLong.of(5), event("a", 1));
        given().apply(old.get(1), OptionalLong.of(9), event("b", 1));
        given().operations().rebuilds().rebuild(NAME, OptionalInt.empty(), 3, ACT);
        assertThat(split(4)).isTrue();
        assertThat(given().operations().show(NAME + "@2").orElseThrow().segments())
                .hasSize(4)
                .extracting(ProjectionDetails.Segment::position)
                .containsOnly(3L);
        ProjectionVersion second = given().store().versions(NAME).getLast();
        assertThat(given().store().limit(second, 3)).isEqualTo(5);
        assertThat(split(1)).isTrue();
        assertThat(given().store().limit(second, 3)).as("of no segment").isZero();
    }

    @Test
    default void what_cannot_be_split_stays_as_it_is() {
        assertThatIllegalStateException().isThrownBy(() -> split(2)).withMessageContaining("no projection");
        ProjectionState before = given().store().register(NAME, 4);
        assertThat(split(4)).isFalse();
        for (int segments : new int[] {0, 3, 512, -1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> split(segments));
        }
        assertThat(given().state()).isEqualTo(before);
        assertThat(given().operations().audit(NAME, 1)).isEmpty();
        given().store().register("acknowledged", 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> given().operations().split("acknowledged", 2, ACT))
                .withMessageContaining("no positions");
    }
}
