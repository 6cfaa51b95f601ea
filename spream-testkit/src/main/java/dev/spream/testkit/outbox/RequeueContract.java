package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static dev.spream.testkit.outbox.OutboxScenario.unknownFailure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of entries that an operator requeues. */
interface RequeueContract<T> extends OperationsStage<T> {

    @Test
    default void W_104_an_aborted_entry_is_tried_again_as_a_new_generation_of_its_request() {
        given().abort(ANN, given().claimed(ANN, "a"));
        LedgerEntry first = given().ledgerEntry("a");

        OutboxRow row = requireDone(operations().requeue(id("a"), ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.PENDING);
        assertThat(row.generation()).isEqualTo(2);
        assertThat(row.attempts()).isZero();
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);

        OutboxClaim claim = given().claim(BOB);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.entry().generation()).isEqualTo(2);
        given().succeed(BOB, claim);
        List<LedgerEntry> generations = given().fixture().generations("a");
        assertThat(generations).hasSize(2).startsWith(first);
        assertThat(generations.getLast().result()).isEqualTo(given().result("a"));
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.SUCCEEDED);
    }

    @Test
    default void tokens_grow_over_generations() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().abort(ANN, claim);
        operations().requeue(id("a"), ACT);
        assertThat(given().claim(ANN).token()).isGreaterThan(claim.token());
    }

    @Test
    default void a_settlement_of_an_earlier_generation_does_not_settle_the_later_one() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().abort(ANN, claim);
        operations().requeue(id("a"), ACT);
        given().store().settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), ACCEPTED)));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.PENDING);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
    }

    @Test
    default void a_failed_entry_that_is_not_due_is_tried_at_once_in_its_generation() {
        given().fail(ANN, given().claimed(ANN, "a"));
        OutboxRow row = requireDone(operations().requeue(id("a"), ACT));
        assertThat(row.generation()).isEqualTo(1);
        assertThat(row.attempts()).isZero();
        assertThat(given().claim(BOB).attempt()).isEqualTo(1);
        assertThat(given().fixture().generations("a")).hasSize(1);
    }

    @Test
    default void an_entry_that_was_to_be_sent_later_is_sent_at_once() {
        given().enqueued(messageBuilder("a")
                .notBefore(given().in(Duration.ofHours(1)))
                .build());
        requireDone(operations().requeue(id("a"), ACT));
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }

    @Test
    default void a_parked_entry_is_requeued_with_the_outcome_that_the_operator_declares() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        OutboxRow row = requireDone(operations().requeue(id("a"), ACT));
        assertThat(row.parked()).isFalse();
        assertThat(row.outcomeUnknown()).isFalse();
        OutboxClaim claim = given().claim(BOB);
        assertThat(claim.outcomeUnknown()).isFalse();
        assertThat(claim.attempt()).isEqualTo(1);
    }

    @Test
    default void an_entry_in_backoff_that_is_tried_again_may_still_have_reached_the_receiver() {
        given().settle(ANN, unknownFailure(given().claimed(ANN, "a").ref(), Duration.ofHours(1)));
        OutboxRow row = requireDone(operations().requeue(id("a"), ACT));
        assertThat(row.outcomeUnknown()).isTrue();
        assertThat(row.attempts()).isZero();
        assertThat(given().claim(BOB).outcomeUnknown()).isTrue();
    }

    @Test
    default void a_parked_entry_that_is_tried_again_keeps_its_place_in_its_key() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        given().park(ANN, given().claimOrdered(ANN, first).getFirst(), false);
        requireDone(operations().requeue(first, ACT));
        assertThat(keys(given().claimOrdered(ANN, first, second))).containsExactly("1");
    }

    @Test
    default void an_aborted_entry_that_is_tried_again_waits_for_a_later_one_of_its_key_that_is_being_sent() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        given().abort(ANN, given().claimOrdered(ANN, first).getFirst());
        OutboxClaim sending = given().claimOrdered(ANN, second).getFirst();
        requireDone(operations().requeue(first, ACT));
        assertThat(given().claimOrdered(ANN, first)).isEmpty();
        given().succeed(ANN, sending);
        assertThat(keys(given().claimOrdered(ANN, first))).containsExactly("1");
    }

    @Test
    default void an_entry_that_succeeded_is_not_tried_again() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        OutboxRow before = row("a");
        requireRefused("a", operations().requeue(before.id(), ACT), before);
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void an_entry_that_is_due_anyway_is_left_as_it_is() {
        given().enqueued("a");
        OutboxRow before = row("a");
        requireRefused("a", operations().requeue(before.id(), ACT), before);
        given().claim(ANN);
        given().letLeasesRunOut();
        OutboxRow lapsed = row("a");
        requireRefused("a", operations().requeue(before.id(), ACT), lapsed);
    }

    @Test
    default void an_entry_that_a_worker_is_sending_is_not_touched() {
        given().claimed(ANN, "a");
        OutboxRow before = row("a");
        requireRefused("a", operations().requeue(before.id(), ACT), before);
    }

    @Test
    default void an_entry_that_is_not_there_is_not_found() {
        assertThat(operations().requeue(Long.MAX_VALUE, ACT)).isEqualTo(new OperatorResult.NotFound());
        assertThat(operations().audit(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    default void an_entry_that_two_requeue_at_once_is_requeued_once() throws Exception {
        given().abort(ANN, given().claimed(ANN, "a"));
        long id = id("a");
        List<OperatorResult> results = given().onThreads(4, () -> operations().requeue(id, ACT));
        assertThat(results).filteredOn(OperatorResult.Done.class::isInstance).hasSize(1);
        assertThat(row("a").generation()).isEqualTo(2);
        assertThat(given().fixture().generations("a")).hasSize(2);
        assertThat(operations().audit(id)).hasSize(1);
    }
}
