package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of entries that an operator settles or aborts, and of their audit. */
interface ManualSettlementContract<T> extends OperationsStage<T> {

    @Test
    default void a_parked_entry_is_settled_as_succeeded_by_an_operator() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        OutboxRow row = requireDone(operations().settle(id("a"), ACCEPTED, ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(row.parked()).isFalse();
        assertThat(row.outcomeUnknown()).isFalse();
        assertThat(json(given().result("a").orElseThrow().responsePayload().orElseThrow()))
                .isEqualTo("{\"order\":7}");
    }

    @Test
    default void an_entry_is_settled_as_failed_by_an_operator() {
        given().fail(ANN, given().claimed(ANN, "a"));
        OutboxRow row = requireDone(operations().settle(id("a"), REJECTED, ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.ABORTED);
        assertThat(row.lastError()).contains(ReasonCode.REJECTED);
        assertThat(given().result("a")).contains(REJECTED);
    }

    @Test
    default void an_entry_is_given_up_by_hand() {
        given().enqueued("a");
        OutboxRow row = requireDone(operations().abort(id("a"), ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.ABORTED);
        assertThat(row.lastError()).contains(ReasonCode.ABORTED_BY_HAND);
        assertThat(given().result("a")).contains(LedgerResult.failed(ReasonCode.ABORTED_BY_HAND));
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void an_entry_that_is_given_up_releases_its_key() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        given().park(ANN, given().claimOrdered(ANN, first).getFirst(), false);
        requireDone(operations().abort(first, ACT));
        assertThat(keys(given().claimOrdered(ANN, second))).containsExactly("2");
    }

    @Test
    default void a_parked_entry_takes_over_the_result_of_the_ledger_whatever_the_operator_declares() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        given().settledInLedger("a", ACCEPTED);
        LedgerEntry entry = given().ledgerEntry("a");
        OutboxRow row = requireDone(operations().abort(id("a"), ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(row.outcomeUnknown()).isFalse();
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
        assertThat(operations().audit(row.id()).getLast().outcome())
                .endsWith("succeeded, generation 1, as the ledger said already");
    }

    @Test
    default void an_entry_whose_request_failed_in_the_ledger_is_aborted() {
        given().fail(ANN, given().claimed(ANN, "a"));
        given().settledInLedger("a", REJECTED);
        OutboxRow row = requireDone(operations().settle(id("a"), ACCEPTED, ACT));
        assertThat(row.status()).isEqualTo(OutboxStatus.ABORTED);
        assertThat(row.lastError()).contains(ReasonCode.REJECTED);
        assertThat(given().result("a")).contains(REJECTED);
    }

    @Test
    default void an_entry_under_whose_key_the_ledger_has_another_request_is_not_settled_by_hand() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        given().fixture().changeLedgerDigest("a", "another");
        OutboxRow before = row("a");
        requireRefused("a", operations().settle(before.id(), ACCEPTED, ACT), before);
        requireRefused("a", operations().abort(before.id(), ACT), before);
    }

    @Test
    default void what_is_settled_is_not_settled_again() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        OutboxRow succeeded = row("a");
        requireRefused("a", operations().settle(succeeded.id(), REJECTED, ACT), succeeded);
        requireRefused("a", operations().abort(succeeded.id(), ACT), succeeded);
        given().abort(ANN, given().claimed(ANN, "b"));
        OutboxRow aborted = row("b");
        requireRefused("b", operations().settle(aborted.id(), ACCEPTED, ACT), aborted);
        requireRefused("b", operations().abort(aborted.id(), ACT), aborted);
    }

    @Test
    default void what_a_worker_is_sending_is_not_touched() {
        OutboxClaim claim = given().claimed(ANN, "a");
        OutboxRow before = row("a");
        requireRefused("a", operations().settle(before.id(), ACCEPTED, ACT), before);
        requireRefused("a", operations().abort(before.id(), ACT), before);
        given().succeed(ANN, claim);
    }

    @Test
    default void what_a_worker_was_sending_until_its_lease_ran_out_may_be_settled_and_the_worker_comes_too_late() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        requireDone(operations().abort(id("a"), ACT));
        LedgerEntry entry = given().ledgerEntry("a");

        given().store().settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), ACCEPTED)));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
    }

    @Test
    default void what_is_not_there_is_not_found() {
        assertThat(operations().settle(Long.MAX_VALUE, ACCEPTED, ACT)).isEqualTo(new OperatorResult.NotFound());
        assertThat(operations().abort(Long.MAX_VALUE, ACT)).isEqualTo(new OperatorResult.NotFound());
    }

    @Test
    default void the_audit_has_actor_action_and_reason_oldest_first() {
        given().park(ANN, given().claimed(ANN, "a"), false);
        long id = id("a");
        operations().abort(id, new OperatorAction("ann", "hopeless"));
        operations().requeue(id, new OperatorAction("bob", "not hopeless"));
        operations().settle(id, ACCEPTED, new OperatorAction("carl", "'; -- I called them \u65e5\u672c"));

        List<AuditEntry> audit = operations().audit(id);
        assertThat(audit).extracting(AuditEntry::actor).containsExactly("ann", "bob", "carl");
        assertThat(audit).extracting(AuditEntry::action).containsExactly("abort", "requeue", "settle");
        assertThat(audit)
                .extracting(AuditEntry::reason)
                .containsExactly("hopeless", "not hopeless", "'; -- I called them \u65e5\u672c");
        assertThat(audit).allSatisfy(act -> {
            assertThat(act.entryId()).isEqualTo(id);
            assertThat(act.idempotencyKey()).isEqualTo("a");
            assertThat(act.outcome()).isNotBlank();
            assertThat(act.at()).isBeforeOrEqualTo(given().fixture().now());
        });
    }

    @Test
    default void of_two_concurrent_settlements_one_succeeds() throws Exception {
        for (int round = 0; round < 10; round++) {
            long id = given().enqueued("round " + round);
            List<OperatorResult> results = given().ended(List.of(
                    () -> operations().settle(id, ACCEPTED, ACT),
                    () -> operations().abort(id, ACT),
                    () -> operations().settle(id, REJECTED, ACT)));
            assertThat(results)
                    .filteredOn(OperatorResult.Done.class::isInstance)
                    .hasSize(1);
            OutboxRow row = operations().find(id).orElseThrow();
            LedgerStatus ledger = row.ledger().orElseThrow().status();
            assertThat(row.status())
                    .isEqualTo(ledger == LedgerStatus.SUCCEEDED ? OutboxStatus.SUCCEEDED : OutboxStatus.ABORTED);
            assertThat(operations().audit(id)).hasSize(1);
        }
    }
}
