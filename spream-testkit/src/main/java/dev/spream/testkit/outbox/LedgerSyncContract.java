package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.failure;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The contract of entries whose requests are settled in the ledger: the entry takes over the result of the ledger,
 * which is never changed by the entry.
 */
interface LedgerSyncContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void W_105_an_entry_whose_request_has_succeeded_is_not_given_out_but_has_succeeded() {
        given().enqueuedAll("a", "b");
        given().settledInLedger("a", ACCEPTED);
        LedgerEntry entry = given().ledgerEntry("a");

        ClaimResult result = given().store().claim(ANN, "", 10, LEASE);
        assertThat(keys(result.claims())).containsExactly("b");
        assertThat(result.synchronised()).isEqualTo(1);
        assertThat(result.conflicts()).isZero();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
    }

    @Test
    default void W_105_an_entry_whose_request_has_failed_is_not_given_out_but_aborted() {
        given().enqueued("a");
        given().settledInLedger("a", REJECTED);

        ClaimResult result = given().store().claim(ANN, "", 10, LEASE);
        assertThat(result.claims()).isEmpty();
        assertThat(result.synchronised()).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().result("a")).contains(REJECTED);
    }

    @Test
    default void W_105_an_entry_whose_worker_died_after_the_ledger_was_settled_is_synchronised() {
        given().claimed(ANN, "a");
        given().settledInLedger("a", ACCEPTED);
        given().letLeasesRunOut();
        assertThat(given().store().claim(BOB, "", 10, LEASE).synchronised()).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }

    @Test
    default void W_105_a_failed_entry_whose_request_has_succeeded_is_synchronised() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, failure(claim.ref(), Duration.ZERO));
        given().settledInLedger("a", ACCEPTED);
        assertThat(given().store().claim(BOB, "", 10, LEASE).synchronised()).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().store().claim(BOB, "", 10, LEASE).isEmpty()).isTrue();
    }

    @Test
    default void W_105_an_ordered_entry_is_synchronised_and_lets_the_next_go() {
        long first = given().ordered("a", "k");
        long second = given().ordered("b", "k");
        given().settledInLedger("a", ACCEPTED);
        ClaimResult result =
                given().store().claimOrdered(ANN, given().segments(ANN).held(), List.of(first), LEASE);
        assertThat(result.claims()).isEmpty();
        assertThat(result.synchronised()).isEqualTo(1);
        assertThat(keys(given().claimOrdered(ANN, second))).containsExactly("b");
    }

    @Test
    default void an_entry_whose_key_was_settled_for_another_request_is_aborted_and_the_ledger_stays() {
        given().enqueuedAll("a", "b");
        given().settledInLedger("a", ACCEPTED);
        given().fixture().changeLedgerDigest("a", "another");
        List<LedgerEntry> entries = given().fixture().generations("a");

        ClaimResult result = given().store().claim(ANN, "", 10, LEASE);
        assertThat(keys(result.claims())).containsExactly("b");
        assertThat(result.conflicts()).isEqualTo(1);
        assertThat(result.synchronised()).isZero();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().fixture().generations("a")).isEqualTo(entries);
    }

    @Test
    default void an_entry_whose_key_another_request_has_under_way_is_aborted_and_the_ledger_stays() {
        given().enqueued("a");
        given().fixture().changeLedgerDigest("a", "another");

        ClaimResult result = given().store().claim(ANN, "", 10, LEASE);
        assertThat(result.claims()).isEmpty();
        assertThat(result.conflicts()).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
    }

    @Test
    default void a_success_of_what_failed_in_the_ledger_meanwhile_takes_over_the_failure() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settledInLedger("a", REJECTED);
        LedgerEntry entry = given().ledgerEntry("a");

        given().succeed(ANN, claim);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
    }

    @Test
    default void giving_up_what_succeeded_in_the_ledger_meanwhile_takes_over_the_success() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settledInLedger("a", ACCEPTED);
        LedgerEntry entry = given().ledgerEntry("a");

        given().abort(ANN, claim);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
    }

    @Test
    default void a_failure_of_what_succeeded_in_the_ledger_meanwhile_is_not_tried_again() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settledInLedger("a", ACCEPTED);
        given().settle(ANN, failure(claim.ref(), Duration.ZERO));

        assertThat(given().store().claim(BOB, "", 10, LEASE).claims()).isEmpty();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }

    @Test
    default void a_success_that_is_repeated_after_the_ledger_was_settled_alike_is_not_lost() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settledInLedger("a", ACCEPTED);
        given().succeed(ANN, claim);
        given().succeed(ANN, claim);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }
}
