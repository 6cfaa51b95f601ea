package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import dev.spream.testkit.memory.InMemoryOutboxFixture.Spoiler;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import dev.spream.testkit.outbox.IdempotencyLedgerContract;
import dev.spream.testkit.outbox.OutboxContract;
import dev.spream.testkit.outbox.OutboxFixture;
import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import dev.spream.testkit.outbox.OutboxStoreContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contracts' own tests: what does not keep a promise fails the test of that promise. */
final class OutboxContractsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(50);

    private static Duration storeLimit = Duration.ZERO;

    @BeforeAll
    static void a_store_that_keeps_the_contract_fails_nothing() {
        storeLimit = ContractRun.limit(
                OutboxStoreContract.class, () -> new StoreRun(Spoiler.ofStore(ForwardingOutboxStore::new)));
    }

    @Test
    void correct_implementations_pass_the_contracts() {
        assertThat(new ContractRun(OutboxContract.class, () -> new EnqueueRun(Spoiler.NONE), TIMEOUT).failures())
                .isEmpty();
        assertThat(new ContractRun(IdempotencyLedgerContract.class, () -> new LedgerRun(Spoiler.NONE), TIMEOUT)
                        .failures())
                .isEmpty();
        assertThat(new ContractRun(OutboxOperationsContract.class, () -> new OperationsRun(Spoiler.NONE), TIMEOUT)
                        .failures())
                .isEmpty();
    }

    @Test
    void a_store_that_does_nothing_fails_nearly_all() {
        assertThat(storeContract(SpoiltOutboxStores.DoesNothing::new).failures())
                .hasSizeGreaterThan(95);
    }

    @Test
    void a_store_that_forgets_settlements_or_loses_repeated_ones_fails() {
        storeContract(SpoiltOutboxStores.ForgetsSettlements::new)
                .requireFailures(
                        "a_success_is_in_the_ledger_and_in_the_outbox",
                        "what_is_given_up_has_failed_in_the_ledger_and_is_aborted_in_the_outbox",
                        "a_failed_entry_is_claimed_again_when_its_delay_is_over",
                        "what_is_released_is_pending_and_due_and_its_attempt_does_not_count");
        assertThat(storeContract(SpoiltOutboxStores.LosesRepetitions::new).failures())
                .containsExactly(
                        "a_failure_that_does_not_count_gives_its_attempt_back_once_and_waits_for_its_delay",
                        "a_release_that_is_repeated_gives_one_attempt_back",
                        "a_settlement_that_is_repeated_is_not_lost_and_changes_nothing",
                        "a_success_that_is_repeated_after_the_ledger_was_settled_alike_is_not_lost");
    }

    @Test
    void a_store_that_mixes_destinations_fails() {
        storeContract(SpoiltOutboxStores.IgnoresDestinations::new)
                .requireFailures(
                        "a_claim_gets_the_entries_of_its_destination",
                        "entries_with_an_ordering_key_are_read_by_destination");
    }

    @Test
    void a_store_that_settles_without_a_fence_fails() {
        storeContract(SpoiltOutboxStores.SettlesUnfenced::new)
                .requireFailures(
                        "a_settlement_of_a_claim_that_was_taken_over_is_lost",
                        "a_worker_that_took_its_own_entry_over_cannot_settle_the_older_claim",
                        "a_claim_of_another_worker_cannot_be_settled",
                        "of_a_batch_exactly_the_lost_ones_are_reported_and_the_others_are_settled");
    }

    @Test
    void a_store_whose_leases_do_not_hold_fails() {
        storeContract(SpoiltOutboxStores.IgnoresLeases::new)
                .requireFailures(
                        "an_entry_under_a_live_lease_is_not_claimed_not_even_by_its_worker",
                        "concurrent_claims_get_each_entry_once",
                        "a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_store");
        storeContract(SpoiltOutboxStores.ForgetsRenewals::new)
                .requireFailures(
                        "a_renewed_lease_lasts_from_the_time_of_the_renewal",
                        "a_renewal_reports_exactly_those_that_were_lost");
    }

    @Test
    void a_store_whose_leases_never_end_fails() {
        storeContract(SpoiltOutboxStores.NeverEndsLeases::new)
                .requireFailures(
                        "a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_store",
                        "attempts_of_workers_that_died_count",
                        "each_claim_has_the_lease_that_was_asked_for");
    }

    @Test
    void a_store_that_counts_attempts_wrongly_fails() {
        storeContract(SpoiltOutboxStores.CountsNoAttemptsAtTheClaim::new)
                .requireFailures("attempts_of_workers_that_died_count");
        storeContract(SpoiltOutboxStores.CountsReleases::new)
                .requireFailures(
                        "what_is_released_is_pending_and_due_and_its_attempt_does_not_count",
                        "a_release_that_is_repeated_gives_one_attempt_back");
    }

    @Test
    void a_store_that_forgets_that_an_outcome_is_unknown_fails() {
        assertThat(storeContract(SpoiltOutboxStores.ForgetsUnknownOutcomes::new).failures())
                .containsExactly(
                        "a_failure_that_does_not_count_gives_its_attempt_back_once_and_waits_for_its_delay",
                        "an_entry_that_expired_while_it_was_sent_is_given_to_another_when_the_lease_ran_out",
                        "an_entry_with_an_expired_lease_is_claimed_by_another_with_unknown_outcome",
                        "an_outcome_stays_unknown_until_a_settlement",
                        "what_is_released_is_as_unknown_as_before");
    }

    @Test
    void a_store_that_ignores_limits_fails() {
        storeContract(SpoiltOutboxStores.IgnoresLimits::new)
                .requireFailures("no_more_than_the_limit_is_claimed", "no_more_than_the_limit_expire_at_once");
    }

    @Test
    void a_store_that_mixes_up_segments_fails() {
        storeContract(SpoiltOutboxStores.GivesSegmentsToAll::new)
                .requireFailures(
                        "a_second_worker_claims_half_of_the_segments_when_the_first_releases_them",
                        "of_workers_that_take_segments_at_once_each_segment_is_held_by_one",
                        "three_workers_share_evenly_rounded_up");
        storeContract(SpoiltOutboxStores.KeepsSegments::new)
                .requireFailures(
                        "a_worker_that_leaves_releases_all_its_segments_and_its_share_at_once",
                        "segments_of_a_dead_worker_go_to_the_remaining_workers",
                        "a_claim_after_release_of_the_segment_is_empty");
    }

    @Test
    void a_store_that_ignores_order_and_segments_fails() {
        spoiltStoreContract(SpoiltOutboxStores.IgnoresOrder::new)
                .requireFailures(
                        "of_one_ordering_key_the_first_is_given_and_the_next_when_that_one_is_settled",
                        "an_entry_waits_while_an_earlier_one_of_its_key_is_pending_sending_failed_or_parked",
                        "an_entry_waits_for_an_earlier_one_that_was_committed_late",
                        "an_entry_waits_for_an_earlier_one_whose_lease_ran_out",
                        "a_claim_without_the_segment_is_empty",
                        "a_claim_in_an_earlier_epoch_of_the_segment_is_empty",
                        "W_105_an_ordered_entry_is_synchronised_and_lets_the_next_go");
    }

    @Test
    void a_store_that_does_not_look_into_the_ledger_fails() {
        spoiltStoreContract(SpoiltOutboxStores.IgnoresTheLedger::new)
                .requireFailures(
                        "W_105_an_entry_whose_request_has_succeeded_is_not_given_out_but_has_succeeded",
                        "W_105_an_entry_whose_worker_died_after_the_ledger_was_settled_is_synchronised",
                        "an_entry_whose_key_was_settled_for_another_request_is_aborted_and_the_ledger_stays",
                        "an_entry_whose_key_another_request_has_under_way_is_aborted_and_the_ledger_stays");
    }

    @Test
    void enqueuing_outside_of_the_transaction_or_without_a_look_at_the_digest_fails() {
        enqueueContract(SpoiltOutboxes.EnqueuesOutside::new)
                .requireFailures(
                        "nothing_is_there_before_the_transaction_commits",
                        "nothing_is_there_if_the_transaction_is_rolled_back_and_the_key_is_free",
                        "an_enqueue_waits_for_a_transaction_with_its_key_and_finds_the_duplicate",
                        "an_enqueue_succeeds_when_the_transaction_with_its_key_is_rolled_back",
                        "several_messages_are_rolled_back_together",
                        "a_transaction_that_has_ended_is_refused");
        assertThat(enqueueContract((memory, target) -> new SpoiltOutboxes.IgnoresDigests(target))
                        .failures())
                .containsExactly(
                        "a_key_that_is_there_twice_is_enqueued_once",
                        "a_request_that_waited_for_another_under_its_key_finds_the_conflict",
                        "another_request_under_the_same_key_is_a_conflict_and_changes_nothing",
                        "results_are_in_the_order_of_the_messages_whatever_they_are");
    }

    @Test
    void a_ledger_that_overwrites_answers_fails() {
        Spoiler overwrites = new Spoiler() {
            @Override
            public IdempotencyLedger<Transaction> ledger(InMemoryOutbox memory, IdempotencyLedger<Transaction> target) {
                return new SpoiltOutboxes.Overwrites(memory, target);
            }
        };
        new ContractRun(IdempotencyLedgerContract.class, () -> new LedgerRun(overwrites), LIMIT)
                .requireFailures(
                        "an_answer_never_changes",
                        "generations_end_one_after_the_other_and_none_that_has_ended_changes",
                        "of_many_answers_at_once_one_stands");
    }

    @Test
    void operations_that_forget_something_fail() {
        operationsContract("audit", target -> List.of())
                .requireFailures(
                        "the_audit_has_actor_action_and_reason_oldest_first",
                        "what_was_changed_of_an_entry_is_in_the_audit_after_its_removal",
                        "an_entry_that_two_requeue_at_once_is_requeued_once");
        operationsContract("releaseExpired", target -> 1)
                .requireFailures(
                        "entries_whose_lease_ran_out_are_given_back_and_may_have_arrived",
                        "entries_with_a_live_lease_and_all_others_are_left_as_they_are");
        operationsContract("requeue", target -> new OperatorResult.NotFound())
                .requireFailures(
                        "W_104_an_aborted_entry_is_tried_again_as_a_new_generation_of_its_request",
                        "a_parked_entry_is_requeued_with_the_outcome_that_the_operator_declares");
        operationsContract("purge", target -> 0)
                .requireFailures(
                        "entries_that_were_settled_long_ago_are_removed_and_the_ledger_stays",
                        "no_more_than_the_limit_are_removed_at_once");
    }

    private static ContractRun storeContract(UnaryOperator<OutboxStore> spoil) {
        return new ContractRun(OutboxStoreContract.class, () -> new StoreRun(Spoiler.ofStore(spoil)), storeLimit);
    }

    private static ContractRun spoiltStoreContract(BiFunction<InMemoryOutbox, OutboxStore, OutboxStore> spoil) {
        Spoiler spoiler = new Spoiler() {
            @Override
            public OutboxStore store(InMemoryOutbox memory, OutboxStore target) {
                return spoil.apply(memory, target);
            }
        };
        return new ContractRun(OutboxStoreContract.class, () -> new StoreRun(spoiler), storeLimit);
    }

    private static ContractRun enqueueContract(
            BiFunction<InMemoryOutbox, Outbox<Transaction>, Outbox<Transaction>> spoil) {
        Spoiler spoiler = new Spoiler() {
            @Override
            public Outbox<Transaction> outbox(InMemoryOutbox memory, Outbox<Transaction> target) {
                return spoil.apply(memory, target);
            }
        };
        return new ContractRun(OutboxContract.class, () -> new EnqueueRun(spoiler), LIMIT);
    }

    /** Returns the contract over operations of which that operation returns the answer without an effect. */
    private static ContractRun operationsContract(String spoilt, Function<OutboxOperations, Object> answer) {
        Spoiler spoiler = new Spoiler() {
            @Override
            public OutboxOperations operations(InMemoryOutbox memory, OutboxOperations target) {
                return spoilt(target, spoilt, answer);
            }
        };
        return new ContractRun(OutboxOperationsContract.class, () -> new OperationsRun(spoiler), LIMIT);
    }

    private static OutboxOperations spoilt(
            OutboxOperations target, String spoilt, Function<OutboxOperations, Object> answer) {
        return (OutboxOperations) Proxy.newProxyInstance(
                OutboxOperations.class.getClassLoader(),
                new Class<?>[] {OutboxOperations.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(spoilt)) {
                        return answer.apply(target);
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static final class StoreRun extends OutboxStoreContract<Transaction> {
        private final Spoiler spoiler;

        StoreRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected OutboxFixture<Transaction> createFixture() {
            return new InMemoryOutboxFixture(spoiler);
        }
    }

    private static final class EnqueueRun extends OutboxContract<Transaction> {
        private final Spoiler spoiler;

        EnqueueRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected OutboxFixture<Transaction> createFixture() {
            return new InMemoryOutboxFixture(spoiler);
        }
    }

    private static final class LedgerRun extends IdempotencyLedgerContract<Transaction> {
        private final Spoiler spoiler;

        LedgerRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected OutboxFixture<Transaction> createFixture() {
            return new InMemoryOutboxFixture(spoiler);
        }
    }

    private static final class OperationsRun extends OutboxOperationsContract<Transaction> {
        private final Spoiler spoiler;

        OperationsRun(Spoiler spoiler) {
            this.spoiler = spoiler;
        }

        @Override
        protected OutboxOperationsFixture<Transaction> createFixture() {
            return new InMemoryOutboxFixture(spoiler);
        }
    }
}
