package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.spream.core.subscription.SimulationViolation.Promise;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The judge of the simulation notices when a promise is broken: without that, histories that pass say nothing. */
class SimulationJudgeIT {
    private static final int SEEDS = 400;

    @Test
    void a_gate_that_is_always_open_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationSabotages.openGate());
    }

    @Test
    void a_watermark_that_is_one_too_high_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationSabotages.highWatermark());
    }

    @Test
    void a_break_taken_for_an_end_finishes_without_proof() {
        assertNoticed(Promise.PROVEN_END, SimulationSabotages.breaksAreEnds());
    }

    @Test
    void children_stored_after_the_call_finish_without_proof() {
        assertNoticed(Promise.PROVEN_END, SimulationSabotages.lateChildren());
    }

    @Test
    void a_row_that_does_not_get_through_is_lost() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationSabotages.lostRows());
    }

    @Test
    void an_ack_before_the_consumer_returned_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationSabotages.earlyAck());
    }

    @Test
    void a_change_that_comes_twice_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationSabotages.twice());
    }

    @Test
    void a_watermark_without_a_flush_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationSabotages.noFlush());
    }

    @Test
    void keys_without_lanes_break_the_order() {
        assertNoticed(Promise.ORDER, SimulationSabotages.noLanes());
    }

    @Test
    void more_in_flight_than_allowed_breaks_the_bounds() {
        assertNoticed(Promise.BOUNDS, SimulationSabotages.muchInflight());
    }

    @Test
    void more_buffered_than_allowed_breaks_the_bounds() {
        assertNoticed(Promise.BOUNDS, SimulationSabotages.muchBuffered(), 31);
    }

    @Test
    void more_open_queries_than_allowed_break_the_bounds() {
        assertNoticed(Promise.BOUNDS, SimulationSabotages.manyQueries());
    }

    @Test
    void a_lease_that_ended_unnoticed_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationSabotages.longLeases());
    }

    @Test
    void a_parked_key_that_is_forgotten_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationSabotages.forgottenKeys(), 12);
    }

    @Test
    void a_run_that_stops_where_it_should_try_again_makes_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationSabotages.retriesAreStops());
    }

    @Test
    void a_storage_that_ignores_epochs_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.epochsIgnored(), 85);
    }

    @Test
    void a_lease_that_is_not_looked_at_before_a_call_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.neverFenced(), 128);
    }

    @Test
    void a_renewal_measured_from_later_than_its_request_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.measuredLate(), 56);
    }

    @Test
    void a_take_over_before_the_lease_has_ended_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.takenTooEarly());
    }

    @Test
    void a_partition_given_back_before_it_is_settled_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.releasedTooEarly());
    }

    @Test
    void a_delivery_under_the_epoch_of_another_owner_breaks_the_one_owner() {
        assertNoticed(Promise.ONE_OWNER, SimulationWorkerSabotages.oldEpochs());
    }

    @Test
    void a_watermark_past_what_its_writer_has_not_read_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationWorkerSabotages.resumedTooLate());
    }

    @Test
    void a_partition_that_is_never_taken_over_makes_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationWorkerSabotages.neverTakenOver(), 11);
    }

    @Test
    void looks_that_leave_changes_out_make_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationWorkerSabotages.forgottenChanges());
    }

    @Test
    void looks_that_do_not_show_the_end_of_a_worker_make_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationWorkerSabotages.workersForEver(), 45);
    }

    @Test
    void a_worker_that_registers_no_low_watermark_of_what_it_has_makes_that_of_the_subscription_too_high() {
        assertNoticed(Promise.LOW_WATERMARK, SimulationWorkerSabotages.progressOfNone(), 10);
    }

    @Test
    void workers_that_never_give_partitions_up_share_unfairly() {
        assertNoticed(Promise.FAIR_SHARE, SimulationWorkerSabotages.neverShared(), 55);
    }

    @Test
    void partitions_that_are_handed_to_and_fro_are_shared_unfairly() {
        assertNoticed(Promise.FAIR_SHARE, SimulationWorkerSabotages.imaginedWorkers(), 79);
    }

    @Test
    void effects_of_calls_that_end_after_their_lease_break_the_order_unless_their_epoch_is_looked_at() {
        assertNoticed(Promise.ORDER, SimulationWorkerSabotages.noFence(), 105);
    }

    @Test
    void a_move_in_that_is_not_waited_for_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.waitDropped());
    }

    @Test
    void events_that_are_ignored_break_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.eventsIgnored());
    }

    @Test
    void a_wait_for_the_timestamp_of_a_move_alone_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.waitForTimestamp());
    }

    @Test
    void a_window_that_starts_after_the_last_position_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationMoveSabotages.exclusiveWindows());
    }

    /** The wait ends by a later watermark of the source all the same, unless the source waits too. */
    @Test
    void move_outs_that_are_not_stored_make_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationMoveSabotages.moveOutsNotStored(), 34);
    }

    @Test
    void changes_before_a_stored_move_out_that_come_again_break_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.moveOutsNotResumed(), 87);
    }

    @Test
    void reading_ahead_with_lanes_that_end_with_their_partition_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.lanesEndWithPartition(), 91);
    }

    @Test
    void a_watermark_of_a_partition_read_ahead_past_its_start_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationMoveSabotages.watermarkAhead());
    }

    @Test
    void a_transaction_that_is_delivered_before_it_is_complete_is_not_whole() {
        assertNoticed(Promise.WHOLE, SimulationTransactionSabotages.deliveredBeforeComplete());
    }

    @Test
    void transactions_released_past_what_was_read_break_the_commit_order() {
        assertNoticed(Promise.COMMIT_ORDER, SimulationTransactionSabotages.lowWatermarkIgnored());
    }

    @Test
    void a_transaction_that_is_settled_change_by_change_is_not_whole() {
        assertNoticed(Promise.WHOLE, SimulationTransactionSabotages.oneByOne());
    }

    @Test
    void a_transaction_that_is_settled_before_it_is_delivered_loses_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationTransactionSabotages.settledBeforeDelivery());
    }

    @Test
    void a_reader_that_waits_although_it_is_the_last_one_makes_no_progress() {
        assertNoticed(Promise.PROGRESS, SimulationTransactionSabotages.lastOneWaits(), 2);
    }

    @Test
    void changes_that_are_kept_beyond_the_budget_are_noticed() {
        assertNoticed(Promise.BOUNDS, SimulationTransactionSabotages.budgetIgnored());
    }

    @Test
    void a_partition_that_started_in_a_gap_and_is_forgotten_has_no_proven_end() {
        assertNoticed(Promise.PROVEN_END, SimulationCorrectionSabotages.startedInGapForgotten());
    }

    @Test
    void partitions_found_at_the_end_of_a_gap_before_others_were_read_up_to_then_lose_changes() {
        assertNoticed(Promise.AT_LEAST_ONCE, SimulationCorrectionSabotages.othersNotAwaited(), 753);
    }

    @Test
    void a_stream_that_is_read_past_an_added_snapshot_breaks_the_order() {
        assertNoticed(Promise.ORDER, SimulationCorrectionSabotages.pauseForgotten());
    }

    private static void assertNoticed(Promise promise, SimulationSabotage sabotage) {
        assertNoticed(promise, sabotage, 1);
    }

    /** Begins at a seed that shows it, where the ones before do not. */
    private static void assertNoticed(Promise promise, SimulationSabotage sabotage, long first) {
        SimulationTally tally = new SimulationTally();
        Map<Promise, Integer> noticed = new EnumMap<>(Promise.class);
        for (long seed = first; seed < first + SEEDS; seed++) {
            try {
                Simulation.run(seed, tally, new SimulationHistory(false), sabotage);
            } catch (SimulationViolation violation) {
                noticed.merge(violation.promise(), 1, Integer::sum);
                if (violation.promise() == promise) {
                    assertThat(violation).hasMessageContaining("2026-01-01T");
                    return;
                }
            }
        }
        fail("%s was not noticed in %d histories; what was: %s", promise, SEEDS, noticed);
    }
}
