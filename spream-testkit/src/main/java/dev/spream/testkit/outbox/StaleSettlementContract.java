package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.everySettlement;
import static dev.spream.testkit.outbox.OutboxScenario.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.Settlement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of late settlements: the settlement of a lost claim has no effect. */
interface StaleSettlementContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_settlement_of_a_claim_that_was_taken_over_is_lost() {
        OutboxClaim stale = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        OutboxClaim live = given().claim(BOB);
        assertThatAllAreLost(ANN, stale.ref());

        given().succeed(BOB, live);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }

    @Test
    default void a_worker_that_took_its_own_entry_over_cannot_settle_the_older_claim() {
        OutboxClaim older = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        given().claim(ANN);
        assertThatAllAreLost(ANN, older.ref());
    }

    @Test
    default void a_claim_of_another_worker_cannot_be_settled() {
        OutboxClaim claim = given().claimed(ANN, "a");
        assertThatAllAreLost(BOB, claim.ref());
    }

    @Test
    default void a_claim_to_come_cannot_be_settled() {
        OutboxClaim claim = given().claimed(ANN, "a");
        assertThatAllAreLost(ANN, new OutboxClaim.Ref(claim.ref().id(), claim.token() + 1));
    }

    @Test
    default void a_settlement_after_a_later_one_of_another_changes_nothing() {
        OutboxClaim stale = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        given().abort(BOB, given().claim(BOB));
        LedgerEntry entry = given().ledgerEntry("a");

        Settlement late = new Settlement.Succeeded(stale.ref(), ACCEPTED);
        assertThat(given().store().settle(ANN, List.of(late))).containsExactly(stale.ref());
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
    }

    @Test
    default void a_settlement_of_an_entry_that_is_not_there_is_lost() {
        OutboxClaim.Ref unknown = new OutboxClaim.Ref(Long.MAX_VALUE, 1);
        for (Settlement settlement : everySettlement(unknown)) {
            assertThat(given().store().settle(ANN, List.of(settlement))).containsExactly(unknown);
        }
    }

    @Test
    default void of_a_batch_exactly_the_lost_ones_are_reported_and_the_others_are_settled() {
        OutboxClaim stale = given().claimed(ANN, "stale");
        given().letLeasesRunOut();
        given().claim(BOB);
        OutboxClaim held = given().claimed(ANN, "held");
        OutboxClaim another = given().claimed(ANN, "another");

        Set<OutboxClaim.Ref> lost = given().store()
                .settle(
                        ANN,
                        List.of(
                                new Settlement.Succeeded(held.ref(), ACCEPTED),
                                new Settlement.Succeeded(stale.ref(), ACCEPTED),
                                new Settlement.Aborted(another.ref(), REJECTED, "no")));
        assertThat(lost).containsExactly(stale.ref());
        assertThat(given().status("held")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().status("another")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().status("stale")).isEqualTo(OutboxStatus.SENDING);
        assertThat(given().ledgerEntry("stale").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
    }

    @Test
    default void of_a_late_settlement_and_a_take_over_at_once_one_wins() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "round " + round;
            OutboxClaim late = given().claimed(ANN, key);
            given().letLeasesRunOut();
            Future<Set<OutboxClaim.Ref>> settling = given().start(() ->
                    given().store().settle(ANN, List.of(new Settlement.Succeeded(late.ref(), ACCEPTED))));
            List<OutboxClaim> taken = given().store().claim(BOB, "", 10, LEASE).claims();
            boolean settled = resultOf(settling).isEmpty();

            assertThat(taken).as(key).hasSize(settled ? 0 : 1);
            assertThat(given().status(key)).isEqualTo(settled ? OutboxStatus.SUCCEEDED : OutboxStatus.SENDING);
            assertThat(given().ledgerEntry(key).status().isSettled()).isEqualTo(settled);
            taken.forEach(claim -> given().succeed(BOB, claim));
        }
    }

    @Test
    default void of_two_settlements_of_one_claim_at_once_one_stands_in_ledger_and_outbox() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "round " + round;
            OutboxClaim claim = given().claimed(ANN, key);
            given().ended(List.of(
                    () -> given().store().settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), ACCEPTED))),
                    () -> given().store().settle(ANN, List.of(new Settlement.Aborted(claim.ref(), REJECTED, "no")))));

            LedgerStatus ledger = given().ledgerEntry(key).status();
            assertThat(ledger.isSettled()).isTrue();
            assertThat(given().status(key))
                    .isEqualTo(ledger == LedgerStatus.SUCCEEDED ? OutboxStatus.SUCCEEDED : OutboxStatus.ABORTED);
        }
    }

    private void assertThatAllAreLost(OutboxOwner owner, OutboxClaim.Ref claim) {
        LedgerEntry entry = given().ledgerEntry("a");
        for (Settlement settlement : everySettlement(claim)) {
            assertThat(given().store().settle(owner, List.of(settlement)))
                    .as(settlement.getClass().getSimpleName())
                    .containsExactly(claim);
            assertThat(given().status("a")).isEqualTo(OutboxStatus.SENDING);
            assertThat(given().ledgerEntry("a")).isEqualTo(entry);
            assertThat(given().claims(owner)).isEmpty();
        }
    }
}
