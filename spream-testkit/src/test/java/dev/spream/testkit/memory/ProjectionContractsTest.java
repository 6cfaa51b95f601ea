package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.VersionComparison;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.event.ContractBreakers.Answer;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.memory.InMemoryProjectionStoreFixture.Spoiler;
import dev.spream.testkit.memory.SpoiltProjectionStores.ChangesProgress;
import dev.spream.testkit.projection.ProjectionOperationsContract;
import dev.spream.testkit.projection.ProjectionRebuildsContract;
import dev.spream.testkit.projection.ProjectionScenario;
import dev.spream.testkit.projection.ProjectionStoreContract;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contracts' own tests: what does not keep a promise fails the test of that promise. */
final class ProjectionContractsTest {
    private static Duration storeLimit = Duration.ZERO;
    private static Duration operationsLimit = Duration.ZERO;
    private static Duration rebuildsLimit = Duration.ZERO;

    @BeforeAll
    static void what_keeps_the_contracts_fails_nothing() {
        Spoiler forwarding = store((memory, target) -> new SpoiltProjectionStores.Forwarding(target));
        storeLimit = ContractRun.limit(ProjectionStoreContract.class, () -> new StoreRun(forwarding));
        operationsLimit = ContractRun.limit(ProjectionOperationsContract.class, () -> new OperationsRun(forwarding));
        rebuildsLimit = ContractRun.limit(ProjectionRebuildsContract.class, () -> new RebuildsRun(forwarding));
    }

    @Test
    void a_store_that_does_not_look_at_the_fence_fails() {
        assertThat(storeFailures(SpoiltProjectionStores.Unfenced::new))
                .contains(
                        "who_never_held_the_segment_writes_nothing",
                        "who_lost_the_segment_writes_nothing_any_more",
                        "without_segments_anybody_writes_as_long_as_the_status_is_the_same",
                        "who_takes_a_segment_in_which_a_transaction_is_open_has_it_only_when_that_has_ended",
                        "who_is_not_entitled_tries_nothing",
                        "who_is_not_entitled_cannot_fail_a_projection",
                        "what_is_not_parked_cannot_be_postponed_nor_by_who_is_not_entitled");
    }

    @Test
    void a_store_that_keeps_effects_of_what_failed_fails() {
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.KeepsEffectsOfFailures(target)))
                .containsExactly(
                        "nothing_changes_if_the_work_fails_and_the_caller_is_given_its_failure",
                        "nothing_is_there_if_the_work_fails_and_the_caller_is_given_its_failure",
                        "the_same_batch_can_be_applied_after_it_has_failed");
    }

    @Test
    void a_store_that_forgets_versions_fails() {
        assertThat(progressFailures(ChangesProgress::withoutVersions))
                .contains(
                        "effects_versions_and_position_are_there_together",
                        "of_many_who_apply_the_same_event_at_once_one_applies_it",
                        "an_aggregate_is_parked_in_the_transaction_of_what_was_applied");
    }

    @Test
    void a_store_that_forgets_positions_fails() {
        assertThat(progressFailures(ChangesProgress::withoutPosition))
                .contains(
                        "effects_versions_and_position_are_there_together",
                        "who_takes_a_segment_goes_on_where_the_last_one_was",
                        "a_batch_without_aggregates_moves_the_position");
    }

    @Test
    void a_store_that_loses_parked_events_fails() {
        assertThat(progressFailures(ChangesProgress::withoutParked))
                .contains(
                        "an_aggregate_is_parked_in_the_transaction_of_what_was_applied",
                        "an_aggregate_all_of_whose_events_are_applied_is_not_parked_any_more");
        assertThat(progressFailures(ChangesProgress::withFirstEvents))
                .contains(
                        "events_are_set_aside_with_all_that_they_have_in_the_order_of_their_versions",
                        "events_that_are_set_aside_again_stay_as_they_are",
                        "events_that_come_while_others_are_tried_are_neither_lost_nor_applied_twice",
                        "an_aggregate_with_a_gap_is_due_when_the_missing_event_has_come");
    }

    @Test
    void a_store_that_does_not_wait_before_the_next_try_fails() {
        assertThat(progressFailures(ChangesProgress::withoutDelays))
                .contains(
                        "a_parked_aggregate_is_due_when_its_delay_is_over",
                        "an_aggregate_that_waits_for_somebody_is_never_due");
    }

    @Test
    void a_store_that_reads_before_it_locks_fails() {
        assertThat(storeFailures(SpoiltProjectionStores.ReadsTooEarly::new))
                .contains(
                        "who_applies_to_an_aggregate_of_an_open_batch_waits_and_sees_what_that_remembered",
                        "who_applies_to_a_known_aggregate_of_an_open_batch_waits_as_well",
                        "who_applies_to_an_aggregate_that_is_tried_waits_and_sees_what_became_of_it");
    }

    @Test
    void a_store_whose_retries_forget_fails() {
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.ForgetsRetries(target, true)))
                .contains(
                        "events_up_to_the_version_that_the_work_returned_are_forgotten_and_no_others",
                        "a_retry_that_applies_nothing_changes_nothing");
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.ForgetsRetries(target, false)))
                .contains(
                        "an_aggregate_all_of_whose_events_are_applied_is_not_parked_any_more",
                        "of_many_who_try_an_aggregate_at_once_one_does");
    }

    @Test
    void a_store_that_mixes_up_segments_fails() {
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.IgnoresLeases(target)))
                .contains(
                        "an_owner_that_holds_on_keeps_its_segments_and_their_epochs",
                        "a_second_owner_takes_half_of_the_segments_when_the_first_gives_them_up",
                        "of_owners_that_take_segments_at_once_each_segment_is_held_by_one",
                        "closing_a_store_twice_is_harmless_and_leaves_leases_as_they_are");
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.KeepsSegments(target)))
                .contains(
                        "segments_of_an_owner_that_died_go_to_those_who_are_there_with_another_epoch",
                        "an_owner_that_leaves_gives_everything_up_at_once_and_twice_is_harmless",
                        "who_gave_the_segment_up_or_left_writes_nothing_any_more");
    }

    @Test
    void a_store_that_says_that_it_did_something_fails() {
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.DoesNothingElse(target)))
                .contains(
                        "who_tried_in_vain_says_when_to_try_again",
                        "segments_with_aggregates_that_are_due_are_told_and_no_others",
                        "what_is_no_event_is_kept_once_by_its_origin",
                        "reports_bring_the_state_up_to_the_segments_and_count_failures",
                        "failing_stops_the_projection_and_says_why");
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.RepeatsDeadLetters(target)))
                .contains("what_is_no_event_is_kept_once_by_its_origin");
    }

    @Test
    void a_store_that_fails_projections_in_any_epoch_fails() {
        assertThat(storeFailures((memory, target) -> new SpoiltProjectionStores.FailsInAnyEpoch(target)))
                .containsExactly("what_was_found_fatal_before_a_projection_was_stopped_does_not_stop_it_again");
    }

    @Test
    void a_pause_that_does_not_wait_fails() {
        Spoiler impatient = operations((memory, target) -> spoilt(target, "pause", (operations, arguments) -> {
            ProjectionMemory all = memory.memory();
            return all.locked(() -> all.find((String) arguments[0])
                    .filter(found -> found.status() == ProjectionStatus.RUNNING)
                    .map(found -> {
                        found.become(ProjectionStatus.PAUSED, all.now());
                        return true;
                    })
                    .orElse(false));
        }));
        assertThat(ContractRun.failures(ProjectionStoreContract.class, () -> new StoreRun(impatient), storeLimit))
                .contains(
                        "a_pause_waits_for_open_batches_and_lets_none_begin",
                        "a_pause_waits_for_open_batches_of_segments_and_retries");
    }

    @Test
    void operations_that_do_nothing_fail() {
        assertThat(operationsFailures("pause", (target, arguments) -> true))
                .contains("a_projection_that_is_paused_goes_on_where_it_was_when_it_is_resumed");
        assertThat(operationsFailures("resume", (target, arguments) -> true))
                .contains(
                        "a_projection_that_has_failed_goes_on_when_it_is_resumed",
                        "what_is_not_running_is_not_paused_and_what_runs_is_not_resumed");
        assertThat(operationsFailures("retry", (target, arguments) -> 1))
                .contains(
                        "an_aggregate_that_waits_is_due_at_once_with_all_attempts",
                        "what_is_not_parked_is_not_tried_again");
        assertThat(operationsFailures("skip", (target, arguments) -> true))
                .contains(
                        "the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again",
                        "of_many_who_pass_over_an_event_at_once_one_does");
        assertThat(operationsFailures("parked", (target, arguments) -> List.of()))
                .contains("parked_aggregates_are_listed_those_parked_first_at_the_front_and_no_more_than_the_limit");
        assertThat(operationsFailures("deadLetters", (target, arguments) -> List.of()))
                .contains("dead_letters_are_listed_with_all_that_they_hold_the_last_first");
        assertThat(operationsFailures("audit", (target, arguments) -> List.of()))
                .contains("what_was_changed_is_listed_with_what_became_of_it_the_last_first");
        assertThat(operationsFailures("show", (target, arguments) -> Optional.empty()))
                .contains("a_projection_is_shown_with_its_segments_as_they_are");
        assertThat(operationsFailures("list", (target, arguments) -> List.of())).contains("all_projections_are_listed");
    }

    @Test
    void rebuilds_that_do_nothing_fail() {
        assertThat(rebuildsFailures("rebuild", (target, arguments) -> 2))
                .contains("a_version_that_is_begun_has_a_state_of_its_own_and_changes_nothing_of_the_live_one");
        assertThat(rebuildsFailures(
                        "cutOver",
                        (target, arguments) -> new CutoverReport(
                                (String) arguments[0],
                                1,
                                (int) arguments[1],
                                Duration.ZERO,
                                CutoverReport.Losses.NONE)))
                .contains(
                        "readers_see_the_version_that_became_live_and_the_old_one_goes_on_apart",
                        "who_held_segments_before_writes_nothing_any_more_and_takes_them_anew",
                        "a_cut_over_waits_until_the_other_has_caught_up_and_holds_the_live_one_meanwhile",
                        "what_does_not_catch_up_in_time_is_refused_and_everything_goes_on",
                        "what_is_not_there_is_live_does_not_run_or_has_no_tables_is_refused",
                        "effects_that_would_be_missing_are_dropped_only_if_somebody_says_so");
        assertThat(rebuildsFailures(
                        "compare",
                        (target, arguments) ->
                                new VersionComparison((String) arguments[0], 1, (int) arguments[1], List.of())))
                .contains("versions_are_compared_where_both_are");
        assertThat(rebuildsFailures("drop", (target, arguments) -> true))
                .contains(
                        "a_version_that_is_dropped_is_gone_with_its_rows_and_its_number",
                        "the_live_version_is_not_dropped_nor_what_is_not_there");
        assertThat(rebuildsFailures("progress", (target, arguments) -> List.of()))
                .contains("progress_says_how_far_a_version_is_and_how_many_events_were_dealt_with");
    }

    @Test
    void a_store_that_does_not_keep_versions_apart_or_in_order_fails() {
        assertThat(versionFailures(store(SpoiltProjectionStores.Unfenced::new)))
                .contains("who_held_segments_before_writes_nothing_any_more_and_takes_them_anew");
        assertThat(versionFailures(
                        store((memory, target) -> new ChangesProgress(target, ChangesProgress::withoutPosition))))
                .contains("a_version_never_gets_ahead_of_the_live_one");
        assertThat(versionFailures(store((memory, target) -> new SpoiltProjectionStores.NeverPrepares(target))))
                .contains(
                        "a_version_is_prepared_once_however_many_are_at_it",
                        "a_preparation_that_fails_changes_nothing_and_can_be_repeated",
                        "what_a_version_writes_is_apart_from_what_the_live_one_writes");
        assertThat(versionFailures(store((memory, target) -> new SpoiltProjectionStores.ForgetsModels(target))))
                .contains(
                        "a_read_model_outside_is_begun_once_and_its_id_remembered",
                        "a_read_model_outside_of_which_nothing_is_known_is_not_begun_behind_events");
    }

    private static Set<String> rebuildsFailures(String method, Answer<ProjectionRebuilds> answer) {
        return versionFailures(operations((memory, target) -> spoilt(
                target,
                "rebuilds",
                (operations, arguments) ->
                        ContractBreakers.of(ProjectionRebuilds.class, operations.rebuilds(), method, answer))));
    }

    private static Set<String> versionFailures(Spoiler spoiler) {
        return ContractRun.failures(ProjectionRebuildsContract.class, () -> new RebuildsRun(spoiler), rebuildsLimit);
    }

    @Test
    void operations_that_skip_whatever_is_first_or_without_a_dead_letter_fail() {
        Spoiler blind = operations((memory, target) -> spoilt(target, "skip", (operations, arguments) -> {
            long first = operations.parked((String) arguments[0], 100).stream()
                    .filter(parked -> parked.key().equals(arguments[1]))
                    .findFirst()
                    .map(ParkedAggregate::firstVersion)
                    .orElse(0L);
            return operations.skip((String) arguments[0], (String) arguments[1], first, ProjectionScenario.ACT);
        }));
        assertThat(ContractRun.failures(
                        ProjectionOperationsContract.class, () -> new OperationsRun(blind), operationsLimit))
                .contains("another_event_than_the_first_is_not_passed_over_nor_one_of_what_is_not_parked");
        assertThat(forgetfulFailures(found -> found.deadLetters.clear()))
                .contains("the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again");
        assertThat(forgetfulFailures(found -> found.audit.clear()))
                .contains(
                        "the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again",
                        "of_many_who_pass_over_an_event_at_once_one_does");
    }

    /** What fails if something is forgotten with each skip. */
    private static Set<String> forgetfulFailures(Consumer<StoredProjection> forget) {
        Spoiler forgetful = operations((memory, target) -> spoilt(target, "skip", (operations, arguments) -> {
            boolean skipped = operations.skip(
                    (String) arguments[0], (String) arguments[1], (long) arguments[2], ProjectionScenario.ACT);
            memory.memory()
                    .locked(() -> memory.memory().find((String) arguments[0]).ifPresent(forget));
            return skipped;
        }));
        return ContractRun.failures(
                ProjectionOperationsContract.class, () -> new OperationsRun(forgetful), operationsLimit);
    }

    private static ProjectionOperations spoilt(
            ProjectionOperations target, String method, Answer<ProjectionOperations> answer) {
        return ContractBreakers.of(ProjectionOperations.class, target, method, answer);
    }

    private static Set<String> operationsFailures(String method, Answer<ProjectionOperations> answer) {
        Spoiler spoiler = operations((memory, target) -> spoilt(target, method, answer));
        return ContractRun.failures(
                ProjectionOperationsContract.class, () -> new OperationsRun(spoiler), operationsLimit);
    }

    private static Set<String> progressFailures(UnaryOperator<BatchCheckpoint> change) {
        return storeFailures((memory, target) -> new ChangesProgress(target, change));
    }

    private static Set<String> storeFailures(
            BiFunction<InMemoryProjectionStore, ProjectionStore<Transaction>, ProjectionStore<Transaction>> spoil) {
        return ContractRun.failures(ProjectionStoreContract.class, () -> new StoreRun(store(spoil)), storeLimit);
    }

    private static Spoiler store(
            BiFunction<InMemoryProjectionStore, ProjectionStore<Transaction>, ProjectionStore<Transaction>> spoil) {
        return new Spoiler() {
            @Override
            public ProjectionStore<Transaction> store(
                    InMemoryProjectionStore memory, ProjectionStore<Transaction> target) {
                return spoil.apply(memory, target);
            }
        };
    }

    private static Spoiler operations(
            BiFunction<InMemoryProjectionStore, ProjectionOperations, ProjectionOperations> spoil) {
        return new Spoiler() {
            @Override
            public ProjectionOperations operations(InMemoryProjectionStore memory, ProjectionOperations target) {
                return spoil.apply(memory, target);
            }
        };
    }

    private static final class StoreRun extends ProjectionStoreContract<Transaction> {
        private final Spoiler spoiler;

        StoreRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected ProjectionStoreFixture<Transaction> createFixture() {
            return new InMemoryProjectionStoreFixture(spoiler);
        }
    }

    private static final class RebuildsRun extends ProjectionRebuildsContract<Transaction> {
        private final Spoiler spoiler;

        RebuildsRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected ProjectionStoreFixture<Transaction> createFixture() {
            return new InMemoryProjectionStoreFixture(spoiler);
        }
    }

    private static final class OperationsRun extends ProjectionOperationsContract<Transaction> {
        private final Spoiler spoiler;

        OperationsRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected ProjectionStoreFixture<Transaction> createFixture() {
            return new InMemoryProjectionStoreFixture(spoiler);
        }
    }
}
