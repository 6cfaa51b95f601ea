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
    static void correct_implementations_pass_the_contracts() {
        Spoiler forwarding = store((memory, target) -> new SpoiltProjectionStores.Forwarding(target));
        storeLimit = ContractRun.limit(ProjectionStoreContract.class, () -> new StoreRun(forwarding));
        operationsLimit = ContractRun.limit(ProjectionOperationsContract.class, () -> new OperationsRun(forwarding));
        rebuildsLimit = ContractRun.limit(ProjectionRebuildsContract.class, () -> new RebuildsRun(forwarding));
    }

    @Test
    void a_store_that_does_not_look_at_the_fence_fails() {
        storeContract(SpoiltProjectionStores.Unfenced::new)
                .requireFailures(
                        "no_write_succeeds_without_the_segment",
                        "no_write_succeeds_after_loss_of_the_segment",
                        "without_segments_any_process_writes_while_the_status_is_the_same",
                        "a_segment_with_an_open_transaction_is_claimed_when_that_has_ended",
                        "an_aggregate_is_retried_only_under_the_fence",
                        "a_projection_fails_only_under_its_fence",
                        "only_a_parked_aggregate_is_postponed_and_only_under_the_fence");
    }

    @Test
    void a_store_that_keeps_effects_of_what_failed_fails() {
        assertThat(storeContract((memory, target) -> new SpoiltProjectionStores.KeepsEffectsOfFailures(target))
                        .failures())
                .containsExactly(
                        "nothing_changes_if_the_work_fails_and_the_caller_is_given_its_failure",
                        "nothing_is_there_if_the_work_fails_and_the_caller_is_given_its_failure",
                        "the_same_batch_can_be_applied_after_it_has_failed");
    }

    @Test
    void a_store_that_forgets_versions_fails() {
        progressContract(ChangesProgress::withoutVersions)
                .requireFailures(
                        "effects_versions_and_position_are_there_together",
                        "of_concurrent_batches_with_the_same_event_one_applies_it",
                        "an_aggregate_is_parked_in_the_transaction_of_what_was_applied");
    }

    @Test
    void a_store_that_forgets_positions_fails() {
        progressContract(ChangesProgress::withoutPosition)
                .requireFailures(
                        "effects_versions_and_position_are_there_together",
                        "a_new_owner_continues_at_the_position_of_the_segment",
                        "a_batch_without_aggregates_moves_the_position");
    }

    @Test
    void a_store_that_loses_parked_events_fails() {
        progressContract(ChangesProgress::withoutParked)
                .requireFailures(
                        "an_aggregate_is_parked_in_the_transaction_of_what_was_applied",
                        "an_aggregate_all_of_whose_events_are_applied_is_not_parked_any_more");
        progressContract(ChangesProgress::withFirstEvents)
                .requireFailures(
                        "events_are_parked_completely_in_the_order_of_their_versions",
                        "events_that_are_parked_again_stay_as_they_are",
                        "events_that_come_while_others_are_tried_are_neither_lost_nor_applied_twice",
                        "an_aggregate_with_a_gap_is_due_when_the_missing_event_has_come");
    }

    @Test
    void a_store_that_does_not_wait_before_the_next_try_fails() {
        progressContract(ChangesProgress::withoutDelays)
                .requireFailures(
                        "a_parked_aggregate_is_due_when_its_delay_is_over",
                        "an_aggregate_that_waits_for_an_operator_is_never_due");
    }

    @Test
    void a_store_that_reads_before_it_locks_fails() {
        storeContract(SpoiltProjectionStores.ReadsTooEarly::new)
                .requireFailures(
                        "a_batch_waits_for_an_open_batch_with_the_same_aggregate_and_reads_its_state",
                        "a_batch_waits_for_an_open_batch_with_the_same_known_aggregate",
                        "a_batch_waits_for_a_retry_of_its_aggregate_and_reads_the_result");
    }

    @Test
    void a_store_whose_retries_forget_fails() {
        storeContract((memory, target) -> new SpoiltProjectionStores.ForgetsRetries(target, true))
                .requireFailures(
                        "events_up_to_the_version_that_the_work_returned_are_forgotten_and_no_others",
                        "a_retry_that_applies_nothing_changes_nothing");
        storeContract((memory, target) -> new SpoiltProjectionStores.ForgetsRetries(target, false))
                .requireFailures(
                        "an_aggregate_all_of_whose_events_are_applied_is_not_parked_any_more",
                        "of_concurrent_retries_of_an_aggregate_one_runs");
    }

    @Test
    void a_store_that_mixes_up_segments_fails() {
        storeContract((memory, target) -> new SpoiltProjectionStores.IgnoresLeases(target))
                .requireFailures(
                        "an_owner_that_holds_on_keeps_its_segments_and_their_epochs",
                        "a_second_owner_claims_half_of_the_segments_when_the_first_releases_them",
                        "of_owners_that_take_segments_at_once_each_segment_is_held_by_one",
                        "closing_a_store_twice_is_harmless_and_leaves_leases_as_they_are");
        storeContract((memory, target) -> new SpoiltProjectionStores.KeepsSegments(target))
                .requireFailures(
                        "segments_of_a_dead_owner_go_to_the_remaining_owners_with_a_new_epoch",
                        "an_owner_that_leaves_gives_everything_up_at_once_and_twice_is_harmless",
                        "no_write_succeeds_after_release_of_the_segment");
    }

    @Test
    void a_store_that_says_that_it_did_something_fails() {
        storeContract((memory, target) -> new SpoiltProjectionStores.DoesNothingElse(target))
                .requireFailures(
                        "a_failed_retry_sets_the_time_of_the_next",
                        "due_segments_are_those_with_due_aggregates",
                        "what_is_no_event_is_kept_once_by_its_origin",
                        "reports_bring_the_state_up_to_the_segments_and_count_failures",
                        "progress_has_the_position_and_the_states_of_the_aggregates_that_are_asked_for",
                        "the_position_is_that_of_the_segment_that_is_furthest_behind",
                        "of_parked_aggregates_those_are_stuck_that_wait_for_an_operator",
                        "a_failure_stops_the_projection_and_is_recorded");
        storeContract((memory, target) -> new SpoiltProjectionStores.RepeatsDeadLetters(target))
                .requireFailures("what_is_no_event_is_kept_once_by_its_origin");
    }

    @Test
    void a_store_that_fails_projections_in_any_epoch_fails() {
        assertThat(storeContract((memory, target) -> new SpoiltProjectionStores.FailsInAnyEpoch(target))
                        .failures())
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
        new ContractRun(ProjectionStoreContract.class, () -> new StoreRun(impatient), storeLimit)
                .requireFailures(
                        "a_pause_waits_for_open_batches_and_lets_none_begin",
                        "a_pause_waits_for_open_batches_of_segments_and_retries");
    }

    @Test
    void operations_that_do_nothing_fail() {
        operationsContract("pause", (target, arguments) -> true)
                .requireFailures("a_paused_projection_continues_at_its_position_when_it_is_resumed");
        operationsContract("resume", (target, arguments) -> true)
                .requireFailures(
                        "a_failed_projection_continues_when_it_is_resumed",
                        "what_is_not_running_is_not_paused_and_what_runs_is_not_resumed");
        operationsContract("retry", (target, arguments) -> 1)
                .requireFailures(
                        "an_aggregate_that_waits_is_due_at_once_with_all_attempts",
                        "what_is_not_parked_is_not_tried_again");
        operationsContract("skip", (target, arguments) -> true)
                .requireFailures(
                        "the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again",
                        "of_concurrent_skips_of_an_event_one_succeeds");
        operationsContract("parked", (target, arguments) -> List.of())
                .requireFailures(
                        "parked_aggregates_are_listed_those_parked_first_at_the_front_and_no_more_than_the_limit");
        operationsContract("deadLetters", (target, arguments) -> List.of())
                .requireFailures("dead_letters_are_listed_with_all_that_they_hold_the_last_first");
        operationsContract("audit", (target, arguments) -> List.of())
                .requireFailures("what_was_changed_is_listed_with_what_became_of_it_the_last_first");
        operationsContract("show", (target, arguments) -> Optional.empty())
                .requireFailures("a_projection_is_shown_with_its_segments_as_they_are");
        operationsContract("list", (target, arguments) -> List.of()).requireFailures("all_projections_are_listed");
    }

    @Test
    void rebuilds_that_do_nothing_fail() {
        rebuildsContract("rebuild", (target, arguments) -> 2)
                .requireFailures("a_version_that_is_begun_has_a_state_of_its_own_and_changes_nothing_of_the_live_one");
        rebuildsContract(
                        "cutOver",
                        (target, arguments) -> new CutoverReport(
                                (String) arguments[0], 1, (int) arguments[1], Duration.ZERO, CutoverReport.Losses.NONE))
                .requireFailures(
                        "readers_see_the_new_live_version_and_the_old_one_continues_apart",
                        "an_earlier_owner_writes_nothing_until_it_claims_segments_again",
                        "a_cut_over_waits_until_the_other_has_caught_up_and_holds_the_live_one_meanwhile",
                        "a_cutover_that_does_not_catch_up_in_time_is_refused_and_changes_nothing",
                        "what_is_not_there_is_live_does_not_run_or_has_no_tables_is_refused",
                        "missing_effects_are_dropped_only_if_accepted");
        rebuildsContract(
                        "compare",
                        (target, arguments) ->
                                new VersionComparison((String) arguments[0], 1, (int) arguments[1], List.of()))
                .requireFailures("versions_are_compared_where_both_are");
        rebuildsContract("drop", (target, arguments) -> true)
                .requireFailures(
                        "a_version_that_is_dropped_is_gone_with_its_rows_and_its_number",
                        "the_live_version_is_not_dropped_nor_what_is_not_there");
        rebuildsContract("progress", (target, arguments) -> List.of())
                .requireFailures("progress_has_the_position_and_the_number_of_processed_events");
    }

    @Test
    void a_store_that_does_not_keep_versions_apart_or_in_order_fails() {
        versionContract(store(SpoiltProjectionStores.Unfenced::new))
                .requireFailures("an_earlier_owner_writes_nothing_until_it_claims_segments_again");
        versionContract(store((memory, target) -> new ChangesProgress(target, ChangesProgress::withoutPosition)))
                .requireFailures("a_version_never_gets_ahead_of_the_live_one");
        versionContract(store((memory, target) -> new SpoiltProjectionStores.NeverPrepares(target)))
                .requireFailures(
                        "a_version_is_prepared_once_however_many_are_at_it",
                        "a_preparation_that_fails_changes_nothing_and_can_be_repeated",
                        "what_a_version_writes_is_apart_from_what_the_live_one_writes");
        versionContract(store((memory, target) -> new SpoiltProjectionStores.ForgetsModels(target)))
                .requireFailures(
                        "a_read_model_outside_is_begun_once_and_its_id_remembered",
                        "a_read_model_outside_of_which_nothing_is_known_is_not_begun_behind_events");
    }

    private static ContractRun rebuildsContract(String method, Answer<ProjectionRebuilds> answer) {
        return versionContract(operations((memory, target) -> spoilt(
                target,
                "rebuilds",
                (operations, arguments) ->
                        ContractBreakers.of(ProjectionRebuilds.class, operations.rebuilds(), method, answer))));
    }

    private static ContractRun versionContract(Spoiler spoiler) {
        return new ContractRun(ProjectionRebuildsContract.class, () -> new RebuildsRun(spoiler), rebuildsLimit);
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
        new ContractRun(ProjectionOperationsContract.class, () -> new OperationsRun(blind), operationsLimit)
                .requireFailures("another_event_than_the_first_is_not_passed_over_nor_one_of_what_is_not_parked");
        forgetfulContract(found -> found.deadLetters.clear())
                .requireFailures("the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again");
        forgetfulContract(found -> found.audit.clear())
                .requireFailures(
                        "the_first_event_is_passed_over_and_kept_and_what_follows_is_tried_again",
                        "of_concurrent_skips_of_an_event_one_succeeds");
    }

    /** Returns the contract over operations of which a skip also removes a part of the stored projection. */
    private static ContractRun forgetfulContract(Consumer<StoredProjection> forget) {
        Spoiler forgetful = operations((memory, target) -> spoilt(target, "skip", (operations, arguments) -> {
            boolean skipped = operations.skip(
                    (String) arguments[0], (String) arguments[1], (long) arguments[2], ProjectionScenario.ACT);
            memory.memory()
                    .locked(() -> memory.memory().find((String) arguments[0]).ifPresent(forget));
            return skipped;
        }));
        return new ContractRun(ProjectionOperationsContract.class, () -> new OperationsRun(forgetful), operationsLimit);
    }

    private static ProjectionOperations spoilt(
            ProjectionOperations target, String method, Answer<ProjectionOperations> answer) {
        return ContractBreakers.of(ProjectionOperations.class, target, method, answer);
    }

    private static ContractRun operationsContract(String method, Answer<ProjectionOperations> answer) {
        Spoiler spoiler = operations((memory, target) -> spoilt(target, method, answer));
        return new ContractRun(ProjectionOperationsContract.class, () -> new OperationsRun(spoiler), operationsLimit);
    }

    private static ContractRun progressContract(UnaryOperator<BatchCheckpoint> change) {
        return storeContract((memory, target) -> new ChangesProgress(target, change));
    }

    private static ContractRun storeContract(
            BiFunction<InMemoryProjectionStore, ProjectionStore<Transaction>, ProjectionStore<Transaction>> spoil) {
        return new ContractRun(ProjectionStoreContract.class, () -> new StoreRun(store(spoil)), storeLimit);
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
