package dev.spream.testkit.projection;

import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.DELAY;
import static dev.spream.testkit.projection.ProjectionScenario.GAP;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static dev.spream.testkit.projection.ProjectionScenario.transientlyFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.SegmentLease;
import dev.spream.testkit.event.TestEvents;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of the progress of a projection, by which callers wait for it. */
interface ProgressContract<T> extends ProjectionScenario.Stage<T> {

    private ProjectionProgress progress(String... aggregates) {
        return given().fixture().anotherStore().progress(NAME, Set.of(aggregates));
    }

    @Test
    default void progress_has_the_position_and_the_states_of_the_aggregates_that_are_asked_for() {
        Fence fence = given().running();
        given().apply(
                        fence,
                        OptionalLong.of(7),
                        TestEvents.event("a", 1),
                        TestEvents.event("a", 2),
                        TestEvents.event("b", 1));
        assertThat(progress("a", "never seen"))
                .isEqualTo(new ProjectionProgress(
                        ProjectionStatus.RUNNING,
                        7,
                        Map.of("a", new AggregateState(2, false), "never seen", AggregateState.NEW),
                        Set.of()));
        assertThat(progress().aggregates()).isEmpty();
    }

    @Test
    default void the_position_is_that_of_the_segment_that_is_furthest_behind() {
        given().store().register(NAME, 2);
        List<SegmentLease> leases = given().hold(ANN).held();
        given().apply(ProjectionScenario.fence(ANN, leases.getFirst()), OptionalLong.of(9));
        assertThat(progress().position()).isZero();
        given().apply(ProjectionScenario.fence(ANN, leases.getLast()), OptionalLong.of(4));
        assertThat(progress().position()).isEqualTo(4);
    }

    @Test
    default void what_is_not_committed_is_no_progress() {
        Fence fence = given().running();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.of(3), TestEvents.event("a", 1));
        assertThat(progress("a").aggregate("a")).isEqualTo(AggregateState.NEW);
        assertThat(progress("a").position()).isZero();
        open.end();
        assertThat(progress("a").aggregate("a").lastVersion()).isEqualTo(1);
        assertThat(progress("a").position()).isEqualTo(3);
    }

    @Test
    default void of_parked_aggregates_those_are_stuck_that_wait_for_an_operator() {
        Fence fence = given().running();
        given().park(fence, "poison", POISON, 2, 3);
        given().park(fence, "transient", transientlyFor(DELAY), 1, 1);
        given().park(fence, "gap", GAP, 2, 2);
        ProjectionProgress parked = progress("poison", "transient", "gap");
        assertThat(parked.aggregates().values()).allMatch(AggregateState::parked);
        assertThat(parked.stuck()).containsExactly("poison");
        given().operations().retry(NAME, Optional.of("poison"), ACT);
        assertThat(progress("poison").stuck()).isEmpty();
    }

    @Test
    default void progress_has_the_status() {
        given().running();
        given().operations().pause(NAME, ACT);
        assertThat(progress().status()).isEqualTo(ProjectionStatus.PAUSED);
    }

    @Test
    default void a_projection_that_does_not_exist_has_no_progress() {
        assertThatThrownBy(() -> progress("a"))
                .isInstanceOf(StorageException.class)
                .matches(e -> !((StorageException) e).retryable())
                .hasMessageContaining(NAME);
    }
}
