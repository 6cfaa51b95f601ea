package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.testkit.partition.ForwardingFixture;
import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract's own tests: a storage that does not keep a promise fails the test of that promise. */
final class PartitionStorageContractTest {

    @Test
    void a_storage_that_keeps_the_contract_fails_nothing() {
        assertThat(failures(InMemoryFixture::new)).isEmpty();
        assertThat(failuresOf(ForwardingStorage::new)).isEmpty();
    }

    @Test
    void a_storage_that_does_nothing_fails_all_but_what_asks_for_nothing() {
        Set<String> passed =
                new TreeSet<>(contractTests().stream().map(Method::getName).toList());
        passed.removeAll(failuresOf(inMemory -> new NoopStorage()));
        assertThat(passed)
                .containsExactly(
                        "a_storage_that_was_never_opened_cannot_be_corrected",
                        "a_storage_that_was_never_opened_holds_nothing",
                        "a_subscription_that_was_never_opened_does_not_complete");
    }

    @Test
    void a_storage_that_forgets_epochs_fails() {
        requireFails(
                ForgetfulStorages.ForgetsEpochs::new,
                "a_worker_whose_lease_was_taken_over_cannot_write_any_more",
                "a_worker_that_took_its_own_partition_over_cannot_write_under_the_older_lease",
                "a_lease_of_another_owner_with_the_right_epoch_is_lost",
                "a_lease_with_an_epoch_to_come_is_lost",
                "a_renewal_reports_exactly_the_rows_that_were_lost",
                "a_batch_reports_exactly_the_rows_that_were_lost_or_are_not_running",
                "of_a_record_with_old_and_new_children_none_is_added_under_a_lost_lease",
                "a_lost_lease_is_a_value_even_where_the_gap_does_not_fit");
        requireFails(ForgetfulStorages.AcquiresBlindly::new, "a_claim_with_another_epoch_than_the_stored_one_is_lost");
    }

    @Test
    void a_storage_whose_leases_do_not_hold_fails() {
        requireFails(
                ForgetfulStorages.IgnoresLiveLeases::new,
                "a_partition_under_a_live_lease_is_not_acquired_not_even_by_its_owner",
                "a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_storage",
                "a_renewed_lease_lasts_from_the_time_of_the_renewal");
        requireFails(
                storage -> new ForgetfulStorages.IgnoresLiveLeases(new ForgetfulStorages.AcquiresBlindly(storage)),
                "of_workers_that_race_for_a_partition_exactly_one_wins",
                "several_claims_of_racing_workers_are_never_given_to_two");
        assertThat(failuresOf(ForgetfulStorages.ReleasesUnregistered::new))
                .containsExactly("unregistering_removes_the_registration_and_no_lease");
    }

    @Test
    void a_storage_that_corrects_too_little_or_too_much_fails() {
        requireFails(
                ForgetfulStorages.ForgetsTheAudit::new,
                "the_audit_has_every_correction_in_order",
                "of_equal_corrections_at_once_one_is_made");
        requireFails(
                ForgetfulStorages.CorrectsTheRecordOnly::new,
                "a_later_end_reopens_what_finished_at_the_former_one",
                "a_completed_subscription_is_read_on_and_completes_again",
                "a_partition_that_clean_up_removed_is_read_on_too",
                "a_gap_moves_unfinished_partitions_to_its_end",
                "another_start_of_what_was_read_begins_anew_and_skips_nothing",
                "beginning_anew_removes_all_partitions_and_proofs_of_this_subscription",
                "a_live_lease_refuses_every_correction_and_an_expired_one_is_lost");
        assertThat(failuresOf(ForgetfulStorages.CorrectsBesideWorkers::new))
                .containsExactly("a_registered_worker_refuses_a_correction_until_its_registration_expires");
    }

    @Test
    void a_storage_whose_leases_never_run_out_fails() {
        requireFailsOver(
                StoppedClockFixture::new,
                "a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_storage",
                "a_partition_whose_lease_ran_out_is_taken_over_where_its_watermark_stands",
                "registrations_that_ran_out_are_listed_until_they_are_expired");
    }

    @Test
    void a_storage_that_forgets_watermarks_or_moves_them_back_fails() {
        requireFails(
                ForgetfulStorages.ForgetsWatermarks::new,
                "a_watermark_moves_forward_and_the_next_owner_gets_it",
                "a_partition_whose_lease_ran_out_is_taken_over_where_its_watermark_stands",
                "the_last_watermark_is_stored_only_if_it_is_later");
        requireFails(
                ForgetfulStorages.MovesWatermarksBack::new,
                "a_watermark_never_moves_back_and_an_older_one_is_no_error",
                "of_several_watermarks_for_one_partition_the_latest_stands_in_whatever_order");
    }

    @Test
    void a_storage_that_forgets_gaps_or_takes_any_fails() {
        requireFails(
                ForgetfulStorages.ForgetsGaps::new,
                "accepting_a_gap_records_it_and_moves_the_watermark_to_its_end",
                "gaps_are_kept_in_order_of_time_through_take_overs",
                "a_gap_outlives_finish_and_clean_up");
        requireFails(
                ForgetfulStorages.AcceptsGapsAnywhere::new,
                "a_gap_that_does_not_start_at_the_stored_watermark_is_refused",
                "of_gaps_that_are_accepted_at_once_exactly_one_stands");
        assertThat(failuresOf(ForgetfulStorages.ForgetsGapsOfProofs::new))
                .containsExactly("a_gap_outlives_finish_and_clean_up");
    }

    @Test
    void a_storage_that_overwrites_or_tears_children_fails() {
        requireFails(
                ForgetfulStorages.OverwritesChildren::new,
                "a_child_that_is_already_read_or_finished_is_left_untouched");
        requireFails(
                ForgetfulStorages.AddsChildrenOneByOne::new,
                "a_snapshot_has_all_children_of_a_record_or_none",
                "children_that_are_all_stored_are_not_added_under_a_lost_lease_either");
    }

    @Test
    void a_storage_that_forgets_mixes_or_rounds_move_ins_fails() {
        requireFails(
                ForgetfulMoves.ForgetsMoveIns::new,
                "a_move_in_is_stored_with_its_sources_and_changes_nothing_else",
                "a_partition_waits_until_the_watermark_of_its_source_is_later_than_the_move",
                "a_partition_waits_for_each_of_its_sources",
                "a_partition_whose_watermark_is_later_than_the_move_waits_no_more");
        requireFails(ForgetfulMoves.KeepsFirstMoveIn::new, "the_next_move_in_takes_the_place_of_the_one_before");
        requireFails(ForgetfulMoves.AddsMoveIns::new, "the_next_move_in_takes_the_place_of_the_one_before");
        requireFails(ForgetfulMoves.LosesRepeatedMoveIns::new, "the_same_move_in_again_changes_nothing");
        requireFails(
                ForgetfulMoves.DropsPassedMoveIns::new,
                "a_move_in_outlives_watermarks_take_overs_and_the_end_of_its_partition");
        requireFails(ForgetfulMoves.WaitsBeforeReading::new, "a_partition_that_is_not_running_waits_for_no_move_in");
        requireFails(
                ForgetfulMoves.WaitsUnderLostLeases::new,
                "a_lease_of_another_owner_with_the_right_epoch_is_lost",
                "a_lease_with_an_epoch_to_come_is_lost",
                "a_worker_that_took_its_own_partition_over_cannot_write_under_the_older_lease",
                "a_worker_whose_lease_was_taken_over_cannot_write_any_more");
        requireFails(ForgetfulMoves.RoundsMoveIns::new, "a_move_in_keeps_its_nanoseconds_up_to_the_last_one_there_is");
    }

    @Test
    void a_storage_that_forgets_mixes_or_keeps_move_outs_fails() {
        requireFails(
                ForgetfulMoves.ForgetsMoveOuts::new,
                "move_outs_are_stored_with_their_watermark_and_change_nothing_else",
                "a_partition_waits_at_the_move_until_it_is_a_destination_of_its_source",
                "partitions_that_swap_keys_at_one_time_continue_both");
        requireFails(
                ForgetfulMoves.ReplacesMoveOuts::new,
                "move_outs_at_the_stored_watermark_are_added",
                "move_outs_that_are_written_at_once_at_one_watermark_are_all_stored");
        requireFails(
                ForgetfulMoves.StoresOneAdvanceOfABatch::new,
                "of_several_advances_of_one_partition_the_latest_has_its_move_outs_in_whatever_order");
        requireFails(
                ForgetfulMoves.KeepsMoveOuts::new,
                "a_later_watermark_drops_the_move_outs_of_the_one_before",
                "a_partition_whose_lease_ran_out_is_taken_over_with_its_move_outs",
                "a_gap_drops_the_move_outs_before_it_and_a_repeated_gap_keeps_those_after_it",
                "a_later_last_watermark_drops_the_move_outs");
        requireFails(
                ForgetfulMoves.DropsMoveOutsByRepeatedGaps::new,
                "a_gap_drops_the_move_outs_before_it_and_a_repeated_gap_keeps_those_after_it");
        requireFails(ForgetfulMoves.StoresEarlierMoveOuts::new, "move_outs_of_an_earlier_watermark_are_ignored");
        requireFails(
                ForgetfulMoves.MixesNanoseconds::new,
                "move_outs_belong_to_their_nanosecond",
                "move_outs_of_an_earlier_watermark_are_ignored");
        requireFails(
                ForgetfulMoves.AcquiresWithoutMoveOuts::new,
                "a_partition_whose_lease_ran_out_is_taken_over_with_its_move_outs",
                "the_next_owner_gets_the_move_outs_with_the_watermark");
        requireFails(
                ForgetfulMoves.TakesOverWithoutMoveOuts::new,
                "a_partition_whose_lease_ran_out_is_taken_over_with_its_move_outs");
        requireFails(
                ForgetfulMoves.MovesOutUnderLostLeases::new,
                "of_a_batch_no_move_outs_are_stored_where_the_lease_is_lost_or_the_partition_is_not_running",
                "a_worker_whose_lease_was_taken_over_cannot_write_any_more");
    }

    @Test
    void a_storage_whose_gate_knows_too_little_of_moves_fails() {
        requireFails(
                ForgetfulMoves.HidesMoveIns::new,
                "a_partition_waits_until_the_watermark_of_its_source_is_later_than_the_move",
                "a_partition_waits_at_the_move_until_it_is_a_destination_of_its_source",
                "a_partition_waits_for_each_of_its_sources",
                "a_partition_whose_watermark_is_later_than_the_move_waits_no_more",
                "a_source_that_is_not_stored_is_awaited_while_it_may_be_discovered");
        requireFails(
                ForgetfulMoves.HidesMoveOuts::new,
                "a_partition_waits_at_the_move_until_it_is_a_destination_of_its_source",
                "partitions_that_swap_keys_at_one_time_continue_both");
        requireFails(
                ForgetfulMoves.HidesFinishedSources::new,
                "a_finished_source_is_in_the_frontier_and_not_awaited",
                "a_finished_source_stays_until_no_unfinished_partition_names_it");
        requireFails(
                ForgetfulMoves.RemovesSources::new, "a_finished_source_stays_until_no_unfinished_partition_names_it");
    }

    @Test
    void a_storage_that_finishes_without_proof_fails() {
        requireFails(
                ForgetfulStorages.FinishesBlindly::new,
                "a_partition_does_not_finish_before_every_child_of_its_proof_is_stored",
                "finishing_stores_watermark_and_proof_and_ends_the_lease",
                "every_kind_of_proof_is_kept");
        requireFails(
                ForgetfulMoves.RequiresChildrenOfEndRecords::new,
                "a_partition_end_record_may_name_children_that_are_not_stored");
    }

    @Test
    void a_storage_that_rounds_or_cuts_fails() {
        requireFails(
                ForgetfulStorages.KeepsMicroseconds::new,
                "timestamps_keep_their_nanoseconds_up_to_the_last_one_there_is",
                "a_gap_keeps_its_nanoseconds_up_to_the_last_one_there_is",
                "timestamps_that_differ_by_a_nanosecond_order_the_lineage");
        assertThat(failuresOf(ForgetfulStorages.CutsTokens::new))
                .containsExactly(
                        "sources_and_destinations_of_thousands_of_characters_are_kept_apart",
                        "tokens_of_thousands_of_characters_that_differ_in_the_last_are_kept_apart");
    }

    @Test
    void a_storage_that_forgets_the_query_of_a_snapshot_fails() {
        assertThat(failuresOf(ForgetfulStorages.ForgetsSnapshots::new))
                .containsExactly(
                        "a_snapshot_that_would_come_too_late_or_too_early_is_refused",
                        "a_start_that_is_moved_after_the_snapshot_begins_with_the_stream",
                        "beginning_anew_begins_with_a_snapshot_where_the_subscription_did",
                        "the_query_of_a_snapshot_is_stored_with_the_subscription");
    }

    @Test
    void a_storage_that_forgets_what_was_completed_or_removed_fails() {
        assertThat(failuresOf(ForgetfulStorages.ForgetsCompletion::new))
                .containsExactly(
                        "a_completed_subscription_is_read_on_and_completes_again",
                        "a_partition_that_clean_up_removed_is_read_on_too",
                        "a_subscription_completes_and_stays_completed_when_all_its_partitions_were_removed",
                        "a_subscription_completes_when_all_its_partitions_are_finished",
                        "partitions_are_read_on_after_an_added_snapshot");
        requireFails(
                ForgetfulStorages.ForgetsProofs::new,
                "a_finished_partition_is_removed_and_its_proof_remains",
                "a_gap_outlives_finish_and_clean_up",
                "a_partition_that_clean_up_removed_is_read_on_too",
                "cleaning_up_again_finds_nothing_and_keeps_the_proofs");
    }

    @Test
    void a_storage_that_forgets_too_many_proofs_or_too_few_fails() {
        requireFails(
                ForgetfulStorages.ForgetsAnyProof::new,
                "a_forgotten_proof_leaves_the_time_from_which_on_the_lineage_is_proven",
                "a_proof_stays_while_an_unfinished_partition_has_not_read_past_its_end",
                "a_proof_stays_while_a_partition_stands_at_the_end_of_a_gap_before",
                "proofs_of_what_the_stream_did_not_end_stay",
                "all_proofs_stay_when_no_partition_is_unfinished");
        assertThat(failuresOf(ForgetfulStorages.ForgetsYoungProofs::new)).containsExactly("a_proof_stays_for_its_time");
        requireFails(
                ForgetfulStorages.ForgetsTheForgotten::new,
                "a_forgotten_proof_leaves_the_time_from_which_on_the_lineage_is_proven",
                "a_proof_of_a_partition_end_record_is_forgotten",
                "a_correction_that_removes_all_begins_with_all_proofs_and_others_do_not");
        requireFails(
                ForgetfulStorages.KeepsForgottenProofs::new,
                "a_forgotten_proof_leaves_the_time_from_which_on_the_lineage_is_proven",
                "proofs_of_what_the_stream_did_not_end_stay");
    }

    @Test
    void a_storage_whose_other_connection_sees_another_state_fails() {
        requireFailsOver(
                TwoStoragesFixture::new,
                "opening_stores_the_record_and_returns_it",
                "both_parents_of_a_merge_add_the_same_child_once");
    }

    @Test
    void a_storage_that_shows_too_little_or_too_much_of_the_lineage_fails() {
        assertThat(failuresOf(ForgetfulStorages.HidesFinishedParents::new))
                .containsExactly(
                        "a_finished_source_is_in_the_frontier_and_not_awaited",
                        "a_finished_source_stays_until_no_unfinished_partition_names_it",
                        "looks_show_every_change_of_the_frontier",
                        "the_frontier_has_the_unfinished_and_the_parents_they_name");
        requireFails(
                ForgetfulStorages.ShowsWholeLineage::new, "the_frontier_has_the_unfinished_and_the_parents_they_name");
    }

    @Test
    void a_storage_whose_looks_leave_something_out_fails() {
        requireFails(
                storage -> new ForgetfulStorages.ForgetsInLooks(
                        storage, look -> ForgetfulStorages.looking(look, Lineage.of(List.of(), look.asOf()))),
                "looks_show_every_change_of_the_frontier",
                "a_look_without_changes_has_no_partition_but_those_that_are_watched",
                "a_watched_partition_comes_with_the_finished_ones_that_it_names",
                "a_correction_shows_in_the_next_look",
                "leases_that_have_ended_are_released_and_looks_show_it");
        requireFails(
                storage -> new ForgetfulStorages.ForgetsInLooks(
                        storage,
                        look -> ForgetfulStorages.looking(
                                look,
                                new LiveWorkers(
                                        Optional.empty(),
                                        look.workers().firstEnd(),
                                        look.workers().progress()))),
                "a_look_has_the_workers_that_are_alive_whenever_they_differ");
        requireFails(
                storage -> new ForgetfulStorages.ForgetsInLooks(
                        storage,
                        look -> ForgetfulStorages.looking(
                                look, new LiveWorkers(look.workers().changed(), Optional.empty(), Optional.empty()))),
                "the_first_end_is_that_of_the_first_registration_that_runs_out",
                "the_progress_of_the_workers_is_the_earliest_and_unknown_if_one_has_none");
    }

    @Test
    void a_storage_that_keeps_expired_leases_or_releases_live_ones_fails() {
        requireFails(
                ForgetfulStorages.KeepsExpiredLeases::new, "leases_that_have_ended_are_released_and_looks_show_it");
        requireFails(
                ForgetfulStorages.ReleasesLiveLeases::new, "leases_that_have_ended_are_released_and_looks_show_it");
    }

    @Test
    void a_storage_that_mixes_subscriptions_fails() {
        requireFailsOver(OneSubscriptionFixture::new, "two_subscriptions_side_by_side_share_nothing");
    }

    private static Set<String> failuresOf(UnaryOperator<PartitionStorage> spoiler) {
        return failures(() -> new InMemoryFixture(spoiler));
    }

    private static void requireFails(UnaryOperator<PartitionStorage> spoiler, String... tests) {
        requireFailsOver(() -> new InMemoryFixture(spoiler), tests);
    }

    /** These tests of the contract fail; others may. */
    private static void requireFailsOver(Supplier<PartitionStorageFixture> fixtures, String... tests) {
        Set<String> names = Set.of(tests);
        assertThat(contractTests().stream()
                        .filter(test -> names.contains(test.getName()) && !passes(test, fixtures))
                        .map(Method::getName))
                .containsExactlyInAnyOrder(tests);
    }

    /** The names of the contract's tests that fail. */
    private static Set<String> failures(Supplier<PartitionStorageFixture> fixtures) {
        Set<String> failed = new TreeSet<>();
        contractTests().stream().filter(test -> !passes(test, fixtures)).forEach(test -> failed.add(test.getName()));
        return failed;
    }

    private static List<Method> contractTests() {
        List<Method> tests = Arrays.stream(PartitionStorageContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .peek(method -> method.setAccessible(true)) // of interfaces that are not public
                .sorted(Comparator.comparing(Method::getName))
                .toList();
        assertThat(tests).hasSizeGreaterThan(90);
        return tests;
    }

    private static boolean passes(Method test, Supplier<PartitionStorageFixture> fixtures) {
        PartitionStorageContract contract = new PartitionStorageContract() {
            @Override
            protected PartitionStorageFixture createFixture() {
                return fixtures.get();
            }
        };
        try {
            contract.openStorage();
            test.invoke(contract);
            return true;
        } catch (InvocationTargetException e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError("cannot run " + test.getName(), e);
        } finally {
            contract.closeStorage();
        }
    }

    private static final class StoppedClockFixture extends ForwardingFixture {
        StoppedClockFixture() {
            super(new InMemoryFixture());
        }

        @Override
        public void passTime(Duration time) {}
    }

    private static final class OneSubscriptionFixture extends ForwardingFixture {
        OneSubscriptionFixture() {
            super(new InMemoryFixture());
        }

        @Override
        public PartitionStorage anotherSubscription() {
            return storage();
        }
    }

    private static final class TwoStoragesFixture extends ForwardingFixture {
        private final InMemoryFixture other = new InMemoryFixture();

        TwoStoragesFixture() {
            super(new InMemoryFixture());
        }

        @Override
        public PartitionStorage anotherConnection() {
            return other.storage();
        }

        @Override
        public void passTime(Duration time) {
            super.passTime(time);
            other.passTime(time);
        }
    }
}
