package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.LEASE;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.AggregateState;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.SegmentLease;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The contract of status changes: projections are inspected, paused, failed and resumed. */
interface StatusContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void all_projections_are_listed() {
        assertThat(given().operations().list()).isEmpty();
        given().store().register("balances", 2);
        given().store().register("names", 0);
        assertThat(given().operations().list())
                .containsExactlyInAnyOrder(
                        given().store().state("balances").orElseThrow(),
                        given().store().state("names").orElseThrow());
    }

    @Test
    default void a_projection_is_shown_with_its_segments_as_they_are() {
        assertThat(given().operations().show(NAME)).isEmpty();
        given().store().register(NAME, 2);
        List<SegmentLease> held =
                given().store().holdSegments(NAME, ANN, Set.of(1), LEASE).held();
        assertThat(held).extracting(SegmentLease::segment).containsExactly(0);
        given().apply(ProjectionScenario.fence(ANN, held.getFirst()), OptionalLong.of(6), event("a", 1));
        ProjectionDetails details = given().details();
        assertThat(details.state()).isEqualTo(given().state());
        assertThat(details.segments())
                .extracting(ProjectionDetails.Segment::segment)
                .containsExactly(0, 1);
        ProjectionDetails.Segment taken = details.segments().get(0);
        assertThat(taken.owner()).contains(ANN.toString());
        assertThat(taken.leaseLeft().orElseThrow()).isBetween(Duration.ofSeconds(20), LEASE);
        assertThat(taken.epoch()).isEqualTo(held.getFirst().epoch());
        assertThat(taken.position()).isEqualTo(6);
        ProjectionDetails.Segment free = details.segments().get(1);
        assertThat(free.owner()).isEmpty();
        assertThat(free.leaseLeft()).isEmpty();
        assertThat(free.position()).isZero();
        assertThat(details.parkedKeys() + details.parkedEvents() + details.deadLetters())
                .isZero();
    }

    @Test
    default void a_segment_with_an_expired_lease_has_no_owner() {
        given().running();
        given().letLeasesRunOut();
        assertThat(given().details().segments().getFirst().owner()).isEmpty();
        assertThat(given().details().segments().getFirst().leaseLeft()).isEmpty();
    }

    @Test
    default void a_paused_projection_continues_at_its_position_when_it_is_resumed() {
        Fence fence = given().running();
        given().apply(fence, OptionalLong.of(4), event("a", 1));
        long running = given().state().epoch();
        assertThat(given().operations().pause(NAME, ACT)).isTrue();
        ProjectionState paused = given().state();
        assertThat(paused.status()).isEqualTo(ProjectionStatus.PAUSED);
        assertThat(paused.epoch()).isGreaterThan(running);
        assertThat(given().apply(fence, event("a", 2))).isFalse();
        assertThat(given().operations().resume(NAME, ACT)).isTrue();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.RUNNING);
        assertThat(given().state().epoch()).isGreaterThan(paused.epoch());
        Fence resumed = given().fence(ANN);
        assertThat(given().apply(resumed, event("a", 2))).isTrue();
        assertThat(given().keyState(resumed, "a")).isEqualTo(new AggregateState(2, false));
        assertThat(given().details().segments().getFirst().position()).isEqualTo(4);
    }

    @Test
    default void a_failed_projection_continues_when_it_is_resumed() {
        Fence fence = given().running();
        given().fail(fence, "no table");
        assertThat(given().operations().pause(NAME, ACT))
                .as("it is not running")
                .isFalse();
        assertThat(given().operations().resume(NAME, ACT)).isTrue();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.RUNNING);
        assertThat(given().apply(given().fence(ANN), event("a", 1))).isTrue();
    }

    @Test
    default void what_is_not_running_is_not_paused_and_what_runs_is_not_resumed() {
        given().running();
        ProjectionState before = given().state();
        assertThat(given().operations().resume(NAME, ACT)).isFalse();
        assertThat(given().state()).isEqualTo(before);
        assertThat(given().operations().pause(NAME, ACT)).isTrue();
        ProjectionState paused = given().state();
        assertThat(given().operations().pause(NAME, ACT)).isFalse();
        assertThat(given().state()).isEqualTo(paused);
        assertThat(given().operations().pause("unknown", ACT)).isFalse();
        assertThat(given().operations().resume("unknown", ACT)).isFalse();
        assertThat(given().store().state("unknown")).isEmpty();
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT);
    }

    @Test
    default void the_audit_has_actor_and_reason_oldest_first() {
        given().running();
        Act first = new Act("ann@example", "it writes too much");
        Act second = new Act("bob", "fixed: 'quoted' \"too\"");
        given().operations().pause(NAME, first);
        given().operations().resume(NAME, second);
        given().operations().pause(NAME, ACT);
        assertThat(given().fixture().audit(NAME)).containsExactly(first, second, ACT);
    }

    @Test
    default void of_concurrent_pauses_one_succeeds() {
        given().running();
        Callable<Boolean> pause = () -> given().operations().pause(NAME, ACT);
        assertThat(given().threads().together(Collections.nCopies(6, pause))).containsOnlyOnce(true);
        assertThat(given().fixture().audit(NAME)).hasSize(1);
        Callable<Boolean> resume = () -> given().operations().resume(NAME, ACT);
        assertThat(given().threads().together(Collections.nCopies(6, resume))).containsOnlyOnce(true);
    }

    @Test
    default void closing_operations_twice_is_harmless() {
        given().running();
        given().operations().close();
        given().operations().close();
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.RUNNING);
    }
}
