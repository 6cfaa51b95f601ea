package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.LEASE;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.VersionRole;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of versions: begin, prepare, catch up with the live one, and drop. */
interface VersionContract<T> extends ProjectionScenario.Stage<T> {

    private VersionScenario<T> versions() {
        return new VersionScenario<>(given());
    }

    @Test
    default void the_first_version_is_live_and_of_the_revision_that_came_first() {
        assertThat(given().store().versions(NAME)).isEmpty();
        assertThat(given().store().register(NAME, 2, versions().code(3)).projection())
                .isEqualTo(NAME);
        ProjectionVersion first = new ProjectionVersion(NAME, 1, 3, VersionRole.LIVE, 0, true);
        assertThat(given().store().versions(NAME)).containsExactly(first);
        given().fixture().anotherStore().register(NAME, 2, versions().code(4));
        assertThat(given().store().versions(NAME)).containsExactly(first);
        assertThat(versions().rebuilds().versions(NAME)).containsExactly(first);
        assertThat(versions().rebuilds().progress(NAME)).isEmpty();
        assertThat(given().operations().list()).hasSize(1);
    }

    @Test
    default void a_version_that_is_begun_has_a_state_of_its_own_and_changes_nothing_of_the_live_one() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(7), event("a", 1));
        ProjectionState before = given().state();
        assertThat(versions().rebuilds().rebuild(NAME, OptionalInt.of(5), 0, ACT))
                .isEqualTo(2);
        assertThat(given().store().versions(NAME))
                .containsExactly(
                        new ProjectionVersion(NAME, 1, 1, VersionRole.LIVE, 0, true),
                        new ProjectionVersion(NAME, 2, 5, VersionRole.CANDIDATE, 0, false));
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.REBUILDING);
        assertThat(versions().state(2).segments()).isEqualTo(1);
        assertThat(given().state()).isEqualTo(before);
        assertThat(given().fixture().audit(NAME)).containsExactly(ACT);
        assertThat(given().apply(live, OptionalLong.of(8), event("a", 2))).isTrue();
    }

    @Test
    default void a_version_has_the_revision_of_the_live_one_by_default() {
        given().store().register(NAME, 1, versions().code(3));
        assertThat(versions().begun(0).revision()).isEqualTo(3);
    }

    @Test
    default void what_cannot_be_built_is_refused_and_changes_nothing() {
        refused("unknown", 0);
        given().store().register("feed", 0, versions().code(1));
        refused("feed", 0);
        versions().move(versions().live(), 9);
        refused(NAME, 10);
        versions().begun(9);
        refused(NAME, 0);
        assertThat(versions().roles())
                .containsOnly(Map.entry(1, VersionRole.LIVE), Map.entry(2, VersionRole.CANDIDATE));
    }

    private void refused(String projection, long from) {
        assertThatThrownBy(() -> versions().rebuilds().rebuild(projection, OptionalInt.empty(), from, ACT))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void what_was_skipped_in_the_live_version_is_in_the_next_one_unless_it_is_to_be_tried() {
        Fence live = versions().live();
        given().park(live, "a", ProjectionScenario.POISON, 1, 2);
        given().park(live, "b", ProjectionScenario.POISON, 1, 1);
        given().operations().skip(NAME, "a", 1, ACT);
        given().operations().skip(NAME, "b", 1, ACT);
        ProjectionVersion second = versions().begun(0);
        assertThat(given().store().skipped(second.stateName()))
                .containsOnly(Map.entry("a", Set.of(1L)), Map.entry("b", Set.of(1L)));
        assertThat(letters(second.stateName())).isEqualTo(letters(NAME)).hasSize(2);
        assertThat(versions().rebuilds().progress(NAME).getFirst().skipped()).isEqualTo(2);
        assertThat(given().operations().audit(NAME, 1).getFirst().outcome())
                .endsWith("; events skipped as in the live version: 2");
        versions().rebuilds().drop(NAME, 2, ACT);
        assertThat(letters(NAME)).hasSize(2);
        int third =
                versions().rebuilds().rebuild(NAME, OptionalInt.empty(), 0, ProjectionRebuilds.SkippedEvents.TRY, ACT);
        assertThat(given().store().skipped(NAME + "@" + third)).isEmpty();
        assertThat(letters(NAME + "@" + third)).isEmpty();
        assertThat(versions().rebuilds().progress(NAME).getFirst().skipped()).isZero();
        assertThat(given().operations().audit(NAME, 1).getFirst().outcome()).doesNotContain("skipped");
    }

    @Test
    default void an_event_that_two_versions_skip_is_one_dead_letter_of_each() {
        given().park(versions().live(), "a", ProjectionScenario.POISON, 1, 2);
        given().operations().skip(NAME, "a", 1, ACT);
        Fence candidate = versions().candidate();
        String second = ProjectionVersion.stateName(NAME, 2);
        given().park(candidate, "a", ProjectionScenario.POISON, 1, 2);
        assertThat(given().operations().skip(second, "a", 1, ACT)).isTrue();
        assertThat(letters(second)).isEqualTo(letters(NAME)).hasSize(1);
        assertThat(given().operations().show(second).orElseThrow().parkedEvents())
                .isEqualTo(1);
    }

    /** Returns the dead letters without their ids. */
    private List<List<Object>> letters(String projection) {
        return given().operations().deadLetters(projection, 10).stream()
                .map(ProjectionDeadLetter.Skipped.class::cast)
                .map(letter -> List.<Object>of(letter.keptAt(), letter.reason(), letter.event()))
                .toList();
    }

    @Test
    default void a_version_begins_behind_the_position_that_was_asked_for() {
        versions().move(versions().live(), 9);
        ProjectionVersion version = versions().begun(6);
        assertThat(version.from()).isEqualTo(6);
        assertThat(given().store()
                        .holdSegments(version.stateName(), ANN, Set.of(), LEASE)
                        .held())
                .extracting(SegmentLease::position)
                .containsExactly(6L);
    }

    @Test
    default void a_version_is_prepared_once_however_many_are_at_it() {
        versions().live();
        ProjectionVersion version = versions().begun(0);
        AtomicInteger created = new AtomicInteger();
        Callable<Boolean> prepare =
                () -> given().store().prepare(version, versions().code(1), transaction -> {
                    created.incrementAndGet();
                    given().fixture().create(transaction);
                });
        assertThat(given().threads().together(Collections.nCopies(4, prepare))).containsOnly(true);
        assertThat(created).hasValue(1);
        assertThat(versions().version(2).prepared()).isTrue();
    }

    @Test
    default void a_read_model_outside_is_begun_once_and_its_id_remembered() throws Exception {
        versions().live();
        ProjectionVersion version = versions().begun(0);
        AtomicInteger begun = new AtomicInteger();
        assertThatThrownBy(() -> given().store().outsideModel(version, () -> {
                    throw new IOException("no such file");
                }))
                .hasMessage("no such file");
        Callable<Optional<String>> model =
                () -> given().store().outsideModel(version, () -> "model-" + begun.incrementAndGet());
        assertThat(given().threads().together(Collections.nCopies(4, model))).containsOnly(Optional.of("model-1"));
        assertThat(given().fixture().anotherStore().outsideModel(versions().version(1), () -> "live"))
                .contains("live");
        assertThat(model.call()).contains("model-1");
        versions().rebuilds().drop(NAME, 2, ACT);
        assertThat(model.call()).isEmpty();
        assertThat(begun).hasValue(1);
    }

    @Test
    default void a_read_model_outside_of_which_nothing_is_known_is_not_begun_behind_events() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(7), event("a", 1));
        assertThatThrownBy(() -> given().store().outsideModel(versions().version(1), () -> "another"))
                .isInstanceOfSatisfying(
                        ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.FATAL))
                .hasMessageContaining("projection rebuild");
    }

    @Test
    default void a_preparation_that_fails_changes_nothing_and_can_be_repeated() {
        versions().live();
        ProjectionVersion version = versions().begun(0);
        IOException failure = new IOException("no such file");
        assertThatThrownBy(() -> given().store().prepare(version, versions().code(1), transaction -> {
                    given().fixture().create(transaction);
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(versions().version(2).prepared()).isFalse();
        versions().prepare(version);
        assertThat(versions().version(2).prepared()).isTrue();
    }

    @Test
    default void what_a_version_writes_is_apart_from_what_the_live_one_writes() {
        Fence live = versions().live();
        given().apply(live, OptionalLong.of(3), event("a", 1), event("a", 2), event("b", 1));
        Fence candidate = versions().candidate();
        assertThat(versions().row(candidate, "a")).isZero();
        assertThat(given().apply(candidate, OptionalLong.of(1), event("a", 1))).isTrue();
        assertThat(versions().row(candidate, "a")).isEqualTo(1);
        assertThat(versions().row(live, "a")).isEqualTo(2);
        assertThat(given().rows()).containsOnly(Map.entry("a", 2L), Map.entry("b", 1L));
        assertThat(given().keyState(candidate, "a")).isEqualTo(new AggregateState(1, false));
        assertThat(given().keyState(live, "a")).isEqualTo(new AggregateState(2, false));
    }

    @Test
    default void a_version_never_gets_ahead_of_the_live_one() {
        Fence live = versions().live();
        versions().move(live, 5);
        Fence candidate = versions().candidate();
        assertThat(given().store().limit(versions().version(2), 0)).isEqualTo(5);
        assertThatThrownBy(() -> given().store().apply(candidate, Set.of("a"), (transaction, states) -> {
                    given().add(transaction, "a");
                    return new BatchCheckpoint(
                            Map.of("a", 1L), Map.of(), List.of(), OptionalLong.of(6), Optional.empty());
                }))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        failure -> assertThat(failure.retryable()).isTrue());
        assertThat(versions().row(candidate, "a")).isZero();
        assertThat(given().keyState(candidate, "a")).isEqualTo(AggregateState.NEW);
        versions().move(candidate, 5);
        versions().move(live, 6);
        assertThat(given().store().limit(versions().version(2), 0)).isEqualTo(6);
        versions().move(candidate, 6);
    }

    @Test
    default void a_paused_version_continues_as_rebuilding() {
        versions().live();
        Fence candidate = versions().candidate();
        assertThat(given().operations().pause("balances@2", ACT)).isTrue();
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.PAUSED);
        assertThat(given().state().status()).isEqualTo(ProjectionStatus.RUNNING);
        assertThat(given().apply(candidate, event("a", 1))).isFalse();
        assertThat(given().operations().resume("balances@2", ACT)).isTrue();
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.REBUILDING);
        Fence resumed = versions().hold(2);
        assertThat(given().apply(resumed, event("a", 1))).isTrue();
        assertThat(given().store().fail(resumed, versions().state(2).epoch(), "no table"))
                .isTrue();
        assertThat(given().operations().resume("balances@2", ACT)).isTrue();
        assertThat(versions().state(2).status()).isEqualTo(ProjectionStatus.REBUILDING);
        assertThat(given().operations().pause("balances@3", ACT)).isFalse();
    }

    @Test
    default void a_version_is_looked_at_by_its_number() {
        versions().live();
        versions().candidate();
        assertThat(given().operations().show(NAME).orElseThrow().state())
                .isEqualTo(versions().state(1));
        assertThat(given().operations().show("balances@1").orElseThrow().state())
                .isEqualTo(versions().state(1));
        assertThat(given().operations().show("balances@2").orElseThrow().state())
                .isEqualTo(versions().state(2));
        assertThat(given().operations().show("balances@3")).isEmpty();
        assertThat(given().operations().list())
                .extracting(ProjectionState::projection)
                .containsExactlyInAnyOrder("balances", "balances@2");
    }

    @Test
    default void progress_has_the_position_and_the_number_of_processed_events() {
        versions().move(versions().live(), 40);
        ProjectionVersion version = versions().begun(20);
        versions().prepare(version);
        Fence candidate = versions().hold(2);
        given().apply(candidate, OptionalLong.of(25), event("a", 1), event("a", 2), event("b", 1));
        given().store().built(version);
        given().fixture().passTime(Duration.ofSeconds(5));
        given().park(candidate, "c", ProjectionScenario.POISON, 1, 2);
        versions().move(candidate, 30);
        assertThat(versions().rebuilds().progress(NAME))
                .singleElement()
                .satisfies(seen -> assertThat(seen.applied()).isEqualTo(5));
        RebuildProgress progress = given().store().built(version).orElseThrow();
        assertThat(progress.version()).isEqualTo(versions().version(2));
        assertThat(progress.applied()).isEqualTo(5);
        assertThat(progress.position()).isEqualTo(30);
        assertThat(progress.target()).isEqualTo(40);
        assertThat(progress.share()).isEqualTo(0.5);
        assertThat(progress.rate().orElse(0)).isPositive();
        assertThat(given().store().built(versions().version(1))).isEmpty();
        given().operations().split(NAME, 4, ACT);
        assertThat(versions().rebuilds().progress(NAME).getFirst().applied()).isEqualTo(5);
        given().fixture().passTime(Duration.ofMinutes(1));
        assertThat(versions().rebuilds().progress(NAME).getFirst().rate())
                .as("the rate when no owner runs it")
                .isEmpty();
    }

    @Test
    default void a_version_that_is_dropped_is_gone_with_its_rows_and_its_number() throws Exception {
        Fence live = versions().live();
        versions().move(live, 5);
        Fence candidate = versions().candidate();
        given().apply(candidate, OptionalLong.of(1), event("a", 1));
        given().park(candidate, "b", ProjectionScenario.POISON, 1, 1);
        ProjectionVersion version = versions().version(2);
        versions().rebuilds().drop(NAME, 2, ACT);
        assertThat(versions().roles()).containsOnly(Map.entry(1, VersionRole.LIVE));
        assertThat(given().store().state("balances@2")).isEmpty();
        assertThat(given().apply(candidate, event("a", 2))).isFalse();
        assertThat(given().store().built(version)).isEmpty();
        assertThat(given().store().prepare(version, versions().code(1), given().fixture()::create))
                .isFalse();
        Fence next = versions().candidate();
        assertThat(versions().roles()).containsOnlyKeys(1, 3);
        assertThat(versions().row(next, "a")).isZero();
        assertThat(given().keyState(next, "a")).isEqualTo(AggregateState.NEW);
        assertThat(given().operations().parked("balances@3", 10)).isEmpty();
    }

    @Test
    default void the_live_version_is_not_dropped_nor_what_is_not_there() {
        Fence live = versions().live();
        for (int version : new int[] {1, 2}) {
            assertThatThrownBy(() -> versions().rebuilds().drop(NAME, version, ACT))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(given().apply(live, event("a", 1))).isTrue();
        assertThat(given().fixture().audit(NAME)).isEmpty();
    }
}
