package dev.spream.testkit.projection;

import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.AggregateState;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.SegmentLease;
import dev.spream.testkit.event.TestEvents;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The contract of registration: how projections are created, and the content of their states. */
interface RegisterContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void a_projection_is_not_there_before_it_is_registered_and_runs_from_then_on() {
        assertThat(given().store().state(NAME)).isEmpty();
        ProjectionState state = given().store().register(NAME, 4);
        assertThat(state.projection()).isEqualTo(NAME);
        assertThat(state.status()).isEqualTo(ProjectionStatus.RUNNING);
        assertThat(state.segments()).isEqualTo(4);
        assertThat(state.position()).isZero();
        assertThat(state.lastEventId()).isEmpty();
        assertThat(state.lastEventAt()).isEmpty();
        assertThat(state.errorCount()).isZero();
        assertThat(state.lastError()).isEmpty();
        assertThat(state.lastErrorAt()).isEmpty();
        assertThat(given().store().state(NAME)).contains(state);
        assertThat(given().fixture().anotherStore().state(NAME)).contains(state);
    }

    @Test
    default void a_projection_that_is_registered_again_is_as_it_was() {
        Fence fence = given().running();
        given().apply(fence, OptionalLong.of(7), TestEvents.event("a", 1));
        given().store().report(NAME, 2, Optional.of("no table"));
        assertThat(given().operations().pause(NAME, ProjectionScenario.ACT)).isTrue();
        ProjectionState before = given().state();
        assertThat(given().fixture().anotherStore().register(NAME, 1)).isEqualTo(before);
        assertThat(given().state()).isEqualTo(before);
        assertThat(before.status()).isEqualTo(ProjectionStatus.PAUSED);
        assertThat(before.position()).isEqualTo(7);
    }

    @Test
    default void another_number_of_segments_changes_nothing_and_none_is_refused() {
        ProjectionState before = given().store().register(NAME, 4);
        for (int segments : new int[] {2, 8}) {
            assertThat(given().store().register(NAME, segments)).isEqualTo(before);
        }
        for (int segments : new int[] {0, 3, 512, -1}) {
            assertThatThrownBy(() -> given().store().register(NAME, segments))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> given().store().register(NAME, 0))
                .hasMessage(
                        "projection '" + NAME
                                + "' has run over a source with positions, and now has one without: configure a source of the same kind, or another name for the projection");
        assertThat(given().state()).isEqualTo(before);
        for (int segments : new int[] {3, 512, -1}) {
            assertThatThrownBy(() -> given().store().register("other", segments))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(given().store().state("other")).isEmpty();
    }

    @Test
    default void concurrent_registrations_get_the_same_projection() {
        for (int segments : new int[] {0, 1, 256}) {
            String name = "projection-" + segments;
            Callable<ProjectionState> call = () -> given().store().register(name, segments);
            List<ProjectionState> states = given().threads().together(Collections.nCopies(6, call));
            assertThat(states).containsOnly(states.getFirst());
            assertThat(given().operations().show(name).orElseThrow().segments()).hasSize(segments);
        }
    }

    @Test
    default void reports_bring_the_state_up_to_the_segments_and_count_failures() {
        Fence fence = given().running();
        given().apply(fence, OptionalLong.of(12), TestEvents.event("a", 1), TestEvents.event("b", 1));
        given().store().report(NAME, 3, Optional.of("deadlock"));
        ProjectionState state = given().state();
        assertThat(state.position()).isEqualTo(12);
        assertThat(state.lastEventId()).contains("b#1");
        assertThat(state.lastEventAt()).contains(TestEvents.NOON);
        assertThat(state.errorCount()).isEqualTo(3);
        assertThat(state.lastError()).contains("deadlock");
        given().store().report(NAME, 2, Optional.empty());
        given().store().report(NAME, 0, Optional.of("no table"));
        given().store().report(NAME, 0, Optional.empty());
        assertThat(given().state().errorCount()).isEqualTo(5);
        assertThat(given().state().lastError()).contains("no table");
        assertThat(given().state().lastEventId()).contains("b#1");
        assertThat(given().state().epoch()).isEqualTo(state.epoch());
    }

    @Test
    default void the_last_error_has_the_time_of_its_own_report() {
        given().running();
        given().store().report(NAME, 1, Optional.of("deadlock"));
        Instant first = given().state().lastErrorAt().orElseThrow();
        given().letLeasesRunOut();
        given().store().report(NAME, 1, Optional.empty());
        assertThat(given().state().lastErrorAt()).contains(first);
        given().store().report(NAME, 1, Optional.of("deadlock"));
        Instant second = given().state().lastErrorAt().orElseThrow();
        assertThat(second).isAfter(first);
        given().letLeasesRunOut();
        Fence fence = given().fence(ProjectionScenario.BOB);
        assertThat(given().fail(fence, "no table")).isTrue();
        assertThat(given().state().lastErrorAt())
                .hasValueSatisfying(at -> assertThat(at).isAfter(second));
    }

    @Test
    default void the_position_of_a_projection_is_that_of_the_segment_that_is_behind() {
        given().store().register(NAME, 2);
        List<SegmentLease> held = given().hold(ProjectionScenario.ANN).held();
        assertThat(held).hasSize(2);
        move(held.get(0), 20);
        given().store().report(NAME, 0, Optional.empty());
        assertThat(given().state().position()).isZero();
        move(held.get(1), 15);
        given().store().report(NAME, 0, Optional.empty());
        assertThat(given().state().position()).isEqualTo(15);
    }

    private void move(SegmentLease lease, long position) {
        assertThat(given().apply(ProjectionScenario.fence(ProjectionScenario.ANN, lease), OptionalLong.of(position)))
                .isTrue();
    }

    @Test
    default void without_segments_the_last_event_is_reported_and_no_position() {
        Fence fence = given().whole();
        given().apply(fence, TestEvents.event("a", 1));
        given().store().report(NAME, 0, Optional.empty());
        assertThat(given().state().lastEventId()).contains("a#1");
        assertThat(given().state().position()).isZero();
        assertThat(given().state().segments()).isZero();
    }

    @Test
    default void a_failure_stops_the_projection_and_is_recorded() {
        Fence fence = given().running();
        long epoch = given().state().epoch();
        assertThat(given().fail(fence, "no table")).isTrue();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.FAILED);
        assertThat(given().state().lastError()).contains("no table");
        assertThat(given().state().epoch()).isGreaterThan(epoch);
        assertThat(given().apply(fence, TestEvents.event("a", 1))).isFalse();
        assertThat(given().rows()).isEmpty();
    }

    @Test
    default void an_error_that_is_reported_late_counts_and_does_not_replace_why_a_projection_failed() {
        Fence fence = given().running();
        given().store().report(NAME, 1, Optional.of("deadlock"));
        assertThat(given().fail(fence, "no table")).isTrue();
        ProjectionState failed = given().state();
        given().letLeasesRunOut();
        given().store().report(NAME, 2, Optional.of("deadlock"));
        assertThat(given().state().errorCount()).isEqualTo(3);
        assertThat(given().state().lastError()).contains("no table");
        assertThat(given().state().lastErrorAt()).isEqualTo(failed.lastErrorAt());

        given().operations().resume(NAME, ProjectionScenario.ACT);
        given().store().report(NAME, 1, Optional.of("deadlock"));
        assertThat(given().state().lastError()).as("when it runs again").contains("deadlock");
        assertThat(given().state().lastErrorAt())
                .hasValueSatisfying(at -> assertThat(at).isAfter(failed.updatedAt()));
    }

    @Test
    default void a_projection_fails_only_under_its_fence() {
        Fence old = given().running();
        given().letLeasesRunOut();
        Fence fence = given().fence(ProjectionScenario.BOB);
        ProjectionState before = given().state();
        assertThat(given().fail(old, "no table")).isFalse();
        assertThat(given().fail(new Fence.Whole("unknown", 1), "no table")).isFalse();
        assertThat(given().state()).isEqualTo(before);
        assertThat(given().fail(fence, "no table")).isTrue();
        assertThat(given().fail(fence, "no row")).isFalse();
        assertThat(given().state().lastError()).contains("no table");
    }

    @Test
    default void what_was_found_fatal_before_a_projection_was_stopped_does_not_stop_it_again() {
        Fence fence = given().running();
        long epoch = given().state().epoch();
        given().operations().pause(NAME, ProjectionScenario.ACT);
        given().operations().resume(NAME, ProjectionScenario.ACT);
        ProjectionState resumed = given().state();
        assertThat(given().store().fail(fence, epoch, "no table")).isFalse();
        assertThat(given().store().fail(fence, resumed.epoch() + 1, "no table")).isFalse();
        assertThat(given().state()).isEqualTo(resumed);
        assertThat(given().store().fail(fence, resumed.epoch(), "no table")).isTrue();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.FAILED);
    }

    @Test
    default void a_projection_without_segments_fails_in_the_epoch_of_its_status() {
        Fence.Whole fence = given().whole();
        assertThat(given().fail(new Fence.Whole(NAME, fence.epoch() - 1), "no table"))
                .isFalse();
        assertThat(given().fail(fence, "no table")).isTrue();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.FAILED);
    }

    @Test
    default void projections_know_nothing_of_each_other() {
        Fence fence = given().running();
        ProjectionState other = given().store().register("other", 1);
        SegmentLease lease = given().store()
                .holdSegments("other", ProjectionScenario.BOB, java.util.Set.of(), ProjectionScenario.LEASE)
                .held()
                .getFirst();
        given().apply(fence, OptionalLong.of(5), TestEvents.event("a", 1));
        given().park(fence, "b", ProjectionScenario.POISON, 1, 1);
        given().store().report(NAME, 1, Optional.of("deadlock"));
        assertThat(given().operations().pause(NAME, ProjectionScenario.ACT)).isTrue();
        assertThat(given().store().state("other")).contains(other);
        Fence others = new Fence.Segment("other", ProjectionScenario.BOB, lease.segment(), lease.epoch());
        assertThat(given().keyState(others, "a")).isEqualTo(AggregateState.NEW);
        assertThat(given().keyState(others, "b")).isEqualTo(AggregateState.NEW);
        assertThat(given().operations().parked("other", 10)).isEmpty();
    }

    @Test
    default void a_failure_is_classified_unless_it_declares_its_kind() {
        assertThat(given().store().failureKind(new IllegalStateException("no such item")))
                .isEqualTo(FailureKind.POISON);
        for (FailureKind kind : FailureKind.values()) {
            assertThat(given().store().failureKind(new ProjectionException(kind, "so it is", null)))
                    .isEqualTo(kind);
        }
    }

    @Test
    default void closing_a_store_twice_is_harmless_and_leaves_leases_as_they_are() {
        given().running();
        given().fixture().anotherStore().close();
        given().fixture().anotherStore().close();
        assertThat(given().hold(ProjectionScenario.BOB).held()).isEmpty();
        assertThat(given().store().transactionType()).isNotNull();
    }
}
