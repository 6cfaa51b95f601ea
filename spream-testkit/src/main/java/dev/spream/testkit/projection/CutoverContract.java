package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.POISON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.AggregateState;
import dev.spream.projection.AuditedAction;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import dev.spream.testkit.event.Threads;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract of comparing versions and of the cutover. */
interface CutoverContract<T> extends ProjectionScenario.Stage<T> {
    /** A limit that no test reaches. */
    Duration TIMEOUT = Duration.ofSeconds(20);

    Duration SHORT_TIMEOUT = Duration.ofSeconds(1);

    private VersionScenario<T> versions() {
        return new VersionScenario<>(given());
    }

    private CutoverReport cutOver(int version) {
        return cutOver(version, Set.of());
    }

    private CutoverReport cutOver(int version, Set<CutoverReport.Loss> accepted) {
        return versions().rebuilds().cutOver(NAME, version, TIMEOUT, accepted, ACT);
    }

    private void refused(int version, Duration timeout) {
        refused(version, timeout, Set.of());
    }

    private void refused(int version, Duration timeout, Set<CutoverReport.Loss> accepted) {
        assertThatThrownBy(() -> versions().rebuilds().cutOver(NAME, version, timeout, accepted, ACT))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void readers_see_the_new_live_version_and_the_old_one_continues_apart() {
        given().apply(versions().live(), OptionalLong.of(3), event("a", 1), event("a", 2));
        given().apply(versions().candidate(), OptionalLong.of(3), event("b", 1));
        CutoverReport done = cutOver(2);
        assertThat(done.from()).isEqualTo(1);
        assertThat(done.to()).isEqualTo(2);
        assertThat(done.pause()).isBetween(Duration.ZERO, TIMEOUT);
        assertThat(done.losses()).isEqualTo(CutoverReport.Losses.NONE);
        assertThat(given().rows()).containsOnly(Map.entry("b", 1L));
        assertThat(versions().roles()).containsOnly(Map.entry(1, VersionRole.RETIRED), Map.entry(2, VersionRole.LIVE));
        assertThat(versions().state(1).status()).isEqualTo(ProjectionStatus.REBUILDING);
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.RUNNING);
        Fence live = versions().hold(2);
        Fence retired = versions().hold(1);
        given().apply(live, OptionalLong.of(4), event("c", 1));
        given().apply(retired, OptionalLong.of(4), event("a", 3));
        assertThat(given().rows()).containsOnly(Map.entry("b", 1L), Map.entry("c", 1L));
        assertThat(versions().row(retired, "a")).isEqualTo(3);
        assertThat(given().operations().show(NAME).orElseThrow().state())
                .isEqualTo(versions().state(2));
        assertThat(given().store().progress(NAME, Set.of("a", "c")).aggregates())
                .as("progress is that of the new live version")
                .isEqualTo(Map.of("a", AggregateState.NEW, "c", new AggregateState(1, false)));
    }

    @Test
    default void a_rollback_is_another_cut_over_and_has_what_came_meanwhile() {
        given().apply(versions().live(), OptionalLong.of(3), event("a", 1));
        versions().move(versions().candidate(), 3);
        cutOver(2);
        given().apply(versions().hold(2), OptionalLong.of(4), event("a", 2));
        given().apply(versions().hold(1), OptionalLong.of(4), event("a", 2));
        assertThat(cutOver(1).from()).isEqualTo(2);
        assertThat(given().rows()).containsOnly(Map.entry("a", 2L));
        assertThat(versions().roles()).containsOnly(Map.entry(1, VersionRole.LIVE), Map.entry(2, VersionRole.RETIRED));
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT, ACT, ACT);
        assertThat(audited(NAME)).containsExactly("rollback", "cutover", "rebuild");
    }

    @Test
    default void an_earlier_owner_writes_nothing_until_it_claims_segments_again() {
        Fence wasLive = versions().live();
        Fence wasCandidate = versions().candidate();
        long liveEpoch = versions().state(1).epoch();
        long candidateEpoch = versions().state(2).epoch();
        cutOver(2);
        assertThat(versions().state(1).epoch()).isGreaterThan(liveEpoch);
        assertThat(versions().state(2).epoch()).isGreaterThan(candidateEpoch);
        assertThat(given().apply(wasLive, event("a", 1))).isFalse();
        assertThat(given().apply(wasCandidate, event("a", 1))).isFalse();
        assertThat(given().apply(versions().hold(2), event("a", 1))).isTrue();
        assertThat(given().apply(versions().hold(1), event("a", 1))).isTrue();
        assertThat(given().apply(wasLive, event("a", 2))).isFalse();
        assertThat(given().apply(wasCandidate, event("a", 2))).isFalse();
    }

    @Test
    default void a_cut_over_waits_until_the_other_has_caught_up_and_holds_the_live_one_meanwhile() {
        Fence live = versions().live();
        Fence candidate = versions().candidate();
        ProjectionScenario<T>.Open open = given().applying(live, OptionalLong.of(5), event("a", 1));
        Future<CutoverReport> cutOver = given().threads().start(() -> cutOver(2));
        Threads.assertWaits(cutOver);
        assertThat(open.end()).isTrue();
        Threads.assertWaits(cutOver);
        long last = 5;
        Future<Boolean> held = appliesNext(live, last + 1);
        while (Threads.endsAtOnce(held)) { // the cutover has not held the projection yet: the other follows one behind
            assertThat(Threads.resultOf(held)).isTrue();
            assertThat(Threads.resultOf(appliesNext(candidate, last))).isTrue();
            assertThat(cutOver).isNotDone();
            last++;
            held = appliesNext(live, last + 1);
        }
        assertThat(Threads.resultOf(appliesNext(candidate, last))).isTrue();
        while (Threads.resultOf(held)) { // the batch was slow, not held
            last++;
            assertThat(Threads.resultOf(appliesNext(candidate, last))).isTrue();
            if (Threads.endsAtOnce(cutOver)) { // the other has caught up, until the next batch
                break;
            }
            held = appliesNext(live, last + 1);
        }
        assertThat(Threads.resultOf(cutOver).to()).isEqualTo(2);
        assertThat(given().rows()).containsOnly(Map.entry("a", last - 4));
    }

    private Future<Boolean> appliesNext(Fence fence, long position) {
        return given().threads().start(() -> given().apply(fence, OptionalLong.of(position), event("a", position - 4)));
    }

    @Test
    default void a_cut_over_waits_for_open_batches_of_the_other() {
        versions().live();
        Fence candidate = versions().candidate();
        ProjectionScenario<T>.Open open = given().applying(candidate, OptionalLong.empty(), event("a", 1));
        Future<CutoverReport> cutOver = given().threads().start(() -> cutOver(2));
        Threads.assertWaits(cutOver);
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(cutOver).to()).isEqualTo(2);
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_cutover_that_does_not_catch_up_in_time_is_refused_and_changes_nothing() {
        Fence live = versions().live();
        Fence candidate = versions().candidate();
        given().apply(live, OptionalLong.of(5), event("a", 1));
        refused(2, SHORT_TIMEOUT);
        assertThat(versions().roles())
                .containsOnly(Map.entry(1, VersionRole.LIVE), Map.entry(2, VersionRole.CANDIDATE));
        assertThat(given().apply(live, OptionalLong.of(6), event("a", 2))).isTrue();
        assertThat(given().apply(candidate, OptionalLong.of(6), event("a", 1), event("a", 2)))
                .isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 2L));
        assertThat(cutOver(2).to()).isEqualTo(2);
    }

    @Test
    default void what_is_not_there_is_live_does_not_run_or_has_no_tables_is_refused() {
        versions().live();
        refused(1, SHORT_TIMEOUT);
        refused(2, SHORT_TIMEOUT);
        versions().begun(0);
        refused(2, SHORT_TIMEOUT);
        versions().prepare(versions().version(2));
        given().operations().pause("balances@2", ACT);
        refused(2, SHORT_TIMEOUT);
        given().operations().resume("balances@2", ACT);
        given().operations().pause(NAME, ACT);
        refused(2, SHORT_TIMEOUT);
        given().operations().resume(NAME, ACT);
        assertThat(cutOver(2).to()).isEqualTo(2);
    }

    @Test
    default void a_live_version_that_has_failed_is_cut_over_from_and_stays_as_it_is() {
        Fence live = versions().live();
        versions().candidate();
        assertThat(given().store().fail(live, versions().state(1).epoch(), "an index is gone"))
                .isTrue();
        assertThat(cutOver(2).to()).isEqualTo(2);
        assertThat(versions().state(1).status()).isEqualTo(ProjectionStatus.FAILED);
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.RUNNING);
        refused(1, SHORT_TIMEOUT);
    }

    private List<String> audited(String name) {
        return given().operations().audit(name, 10).stream()
                .map(AuditedAction::action)
                .toList();
    }

    @Test
    default void what_was_changed_of_any_version_is_listed_for_the_projection() {
        versions().live();
        versions().candidate();
        cutOver(2);
        assertThat(given().operations().pause(NAME, ACT)).isTrue();
        assertThat(given().operations().pause("balances@1", ACT)).isTrue();
        assertThat(audited(NAME)).containsExactly("pause", "pause", "cutover", "rebuild");
        assertThat(audited("balances@2")).isEqualTo(audited(NAME));
        assertThat(audited("balance")).isEmpty();
    }

    @Test
    default void what_is_stopped_while_a_cut_over_waits_is_not_made_live() throws Exception {
        Fence live = versions().live();
        Fence candidate = versions().candidate();
        notMadeLive(live, 1, () -> given().operations().pause("balances@2", ACT));
        assertThat(given().operations().resume("balances@2", ACT)).isTrue();
        Fence again = versions().hold(2);
        notMadeLive(
                live, 2, () -> given().store().fail(again, versions().state(2).epoch(), "no such column"));
        assertThat(given().apply(candidate, event("a", 1))).isFalse();
        assertThat(given().operations().resume("balances@2", ACT)).isTrue();
        assertThat(cutOver(2).to()).isEqualTo(2);
    }

    private void notMadeLive(Fence live, long version, Callable<Boolean> stop) throws Exception {
        ProjectionScenario<T>.Open open = given().applying(live, OptionalLong.empty(), event("a", version));
        Future<CutoverReport> cutOver = given().threads().start(() -> cutOver(2));
        Threads.assertWaits(cutOver);
        assertThat(stop.call()).isTrue();
        assertThat(open.end()).isTrue();
        assertThatThrownBy(() -> cutOver.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(versions().roles())
                .containsOnly(Map.entry(1, VersionRole.LIVE), Map.entry(2, VersionRole.CANDIDATE));
    }

    @Test
    default void a_projection_that_is_paused_during_a_cut_over_is_paused_when_that_is_over() {
        versions().live();
        Fence candidate = versions().candidate();
        ProjectionScenario<T>.Open open = given().applying(candidate, OptionalLong.empty(), event("a", 1));
        Future<CutoverReport> cutOver = given().threads().start(() -> cutOver(2));
        Threads.assertWaits(cutOver);
        Future<Boolean> pause =
                given().threads().start(() -> given().operations().pause(NAME, ACT));
        Threads.endsAtOnce(pause); // or the pause waits for the cutover
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(pause)).isTrue();
        assertThat(cutOver)
                .satisfiesAnyOf(
                        done -> assertThat(done).succeedsWithin(TIMEOUT),
                        refused -> assertThat(refused)
                                .failsWithin(TIMEOUT)
                                .withThrowableOfType(ExecutionException.class)
                                .withCauseInstanceOf(IllegalStateException.class));
        assertThat(given().operations().show(NAME).orElseThrow().state().status())
                .isEqualTo(ProjectionStatus.PAUSED);
    }

    @Test
    default void of_an_aggregate_that_is_parked_it_is_remembered_which_side_effects_have_followed() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(3), event("a", 1), event("a", 2), event("a", 3));
        Fence candidate = versions().candidate();
        given().apply(candidate, OptionalLong.of(3), event("a", 1));
        given().park(candidate, "a", POISON, 2, 3);
        assertThat(given().operations().parked("balances@2", 10).getFirst().followed())
                .isZero();
        cutOver(2, Set.of(CutoverReport.Loss.PARKED));
        assertThat(given().parked("a").followed()).isEqualTo(3);
        assertThat(given().parked("a").lastVersion()).isEqualTo(1);
        assertThat(cutOver(1).losses()).isEqualTo(CutoverReport.Losses.NONE);
    }

    @Test
    default void missing_effects_are_dropped_only_if_accepted() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(3), event("a", 1));
        given().park(live, "a", POISON, 2, 3);
        given().park(live, "b", POISON, 1, 1);
        Fence candidate = versions().candidate();
        given().apply(candidate, OptionalLong.of(3), event("a", 1), event("a", 2));
        given().park(candidate, "b", POISON, 1, 1);
        refused(2, TIMEOUT, Set.of(CutoverReport.Loss.PARKED));
        assertThat(given().apply(live, event("c", 1))).isTrue();
        assertThat(cutOver(2, Set.of(CutoverReport.Loss.EFFECTS)).losses())
                .isEqualTo(new CutoverReport.Losses(1, 0, 0, 0));
        assertThat(versions().roles()).containsEntry(2, VersionRole.LIVE);
    }

    @Test
    default void effects_of_parked_events_before_the_start_of_the_candidate_are_missing_too() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(5), event("a", 1), event("b", 1));
        given().park(live, "a", POISON, 2, 3);
        given().park(live, "b", POISON, 2, 4);
        versions().prepare(versions().begun(5));
        Fence candidate = versions().hold(2);
        given().park(candidate, "b", POISON, 4, 4);
        refused(2, TIMEOUT, Set.of(CutoverReport.Loss.PARKED));
        assertThat(cutOver(2, Set.of(CutoverReport.Loss.values())).losses())
                .isEqualTo(new CutoverReport.Losses(2, 1, 0, 5));
    }

    @Test
    default void results_of_earlier_events_are_lost_only_if_accepted() {
        given().apply(versions().live(), OptionalLong.of(8), event("a", 1));
        versions().prepare(versions().begun(5));
        given().apply(versions().hold(2), OptionalLong.of(8), event("b", 1));
        refused(2, TIMEOUT, EnumSet.complementOf(EnumSet.of(CutoverReport.Loss.EARLIER)));
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
        assertThat(cutOver(2, Set.of(CutoverReport.Loss.EARLIER)).losses())
                .isEqualTo(new CutoverReport.Losses(0, 0, 0, 5));
        assertThat(given().rows()).containsOnly(Map.entry("b", 1L));
        versions().hold(2);
        assertThat(cutOver(1).losses()).isEqualTo(CutoverReport.Losses.NONE);
    }

    @Test
    default void aggregates_parked_only_in_the_candidate_are_lost_only_if_accepted() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(3), event("a", 1), event("a", 2), event("b", 1), event("d", 1));
        given().park(live, "c", POISON, 1, 2);
        Fence candidate = versions().candidate();
        given().apply(candidate, OptionalLong.of(3), event("a", 1), event("d", 1));
        given().park(candidate, "a", POISON, 2, 2);
        given().park(candidate, "b", POISON, 1, 1);
        given().park(candidate, "c", POISON, 1, 2);
        assertThat(versions().rebuilds().progress(NAME).getFirst().parked()).isEqualTo(3);
        refused(2, TIMEOUT, Set.of(CutoverReport.Loss.EFFECTS));
        assertThat(given().rows()).containsOnly(Map.entry("a", 2L), Map.entry("b", 1L), Map.entry("d", 1L));
        assertThat(given().apply(live, event("d", 2))).isTrue();
        assertThat(cutOver(2, Set.of(CutoverReport.Loss.PARKED)).losses())
                .isEqualTo(new CutoverReport.Losses(0, 2, 0, 0));
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L), Map.entry("d", 1L));
    }

    @Test
    default void events_skipped_only_in_the_candidate_are_lost_only_if_accepted() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(3), event("a", 1), event("a", 2));
        given().park(live, "b", POISON, 1, 1);
        given().park(live, "c", POISON, 1, 1);
        Fence candidate = versions().candidate();
        given().apply(candidate, OptionalLong.of(3), event("a", 1));
        given().park(candidate, "a", POISON, 2, 2);
        given().park(candidate, "b", POISON, 1, 1);
        given().park(candidate, "c", POISON, 1, 1);
        for (String skipped : List.of("b", "c")) {
            assertThat(given().operations().skip("balances@2", skipped, 1, ACT)).isTrue();
        }
        assertThat(given().operations().skip(NAME, "b", 1, ACT)).isTrue();
        assertThat(given().operations().skip("balances@2", "a", 2, ACT)).isTrue();
        refused(2, TIMEOUT, Set.of(CutoverReport.Loss.EFFECTS));
        assertThat(given().operations().skip(NAME, "c", 1, ACT)).isTrue();
        assertThat(cutOver(2, Set.of(CutoverReport.Loss.PARKED)).losses())
                .isEqualTo(new CutoverReport.Losses(0, 0, 1, 0));
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_version_without_the_tables_of_the_live_one_is_not_equal() {
        versions().live();
        ProjectionVersion plain = versions().begun(0);
        prepare(plain, ProjectionCode.PLAIN);
        assertThat(versions().rebuilds().compare(NAME, 2, Set.of(), TIMEOUT).isEqual())
                .isFalse();
    }

    private void prepare(ProjectionVersion version, ProjectionCode code) {
        try {
            assertThat(given().store().prepare(version, code, transaction -> {}))
                    .isTrue();
        } catch (Exception e) {
            throw new AssertionError("the version was not prepared", e);
        }
    }

    @Test
    default void a_column_that_neither_version_has_is_not_ignored() {
        versions().live();
        versions().candidate();
        assertThatThrownBy(() -> versions().rebuilds().compare(NAME, 2, Set.of("updated_when"), TIMEOUT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("updated_when")
                .hasMessageContaining("nothing was compared");
    }

    @Test
    default void versions_are_compared_where_both_are() {
        Fence live = versions().live();
        Fence candidate = versions().candidate();
        given().apply(live, OptionalLong.of(3), event("a", 1), event("b", 1), event("b", 2));
        given().apply(candidate, OptionalLong.of(3), event("a", 1), event("b", 1), event("c", 1));
        VersionComparison different = versions().rebuilds().compare(NAME, 2, Set.of(), TIMEOUT);
        assertThat(different.live()).isEqualTo(1);
        assertThat(different.other()).isEqualTo(2);
        assertThat(different.tables())
                .containsExactly(new VersionComparison.Table(
                        given().fixture().tables().iterator().next(), 2, 3, 3, List.of()));
        assertThat(different.isEqual()).isFalse();
        given().apply(live, OptionalLong.of(4), event("c", 1));
        given().apply(candidate, OptionalLong.of(4), event("b", 2));
        assertThat(versions().rebuilds().compare(NAME, 2, Set.of(), TIMEOUT).isEqual())
                .isTrue();
        assertThat(versions().roles()).containsEntry(2, VersionRole.CANDIDATE);
        versions().move(live, 5);
        assertThatThrownBy(() -> versions().rebuilds().compare(NAME, 2, Set.of(), SHORT_TIMEOUT))
                .isInstanceOf(IllegalStateException.class);
        assertThat(given().apply(live, event("a", 2))).isTrue();
    }
}
