package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of releasing expired leases and of removing entries and requests by operators. */
interface OutboxCleanUpContract<T> extends OperationsStage<T> {
    Duration HALF_A_DAY = Duration.ofHours(12);
    Duration DAY = Duration.ofDays(1);

    @Test
    default void entries_whose_lease_ran_out_are_given_back_and_may_have_arrived() {
        OutboxClaim over = given().claimed(ANN, "over");
        given().letLeasesRunOut();
        assertThat(operations().releaseExpired(ACT)).isEqualTo(1);
        assertThat(operations().releaseExpired(ACT)).isZero();

        assertThat(row("over").status()).isEqualTo(OutboxStatus.PENDING);
        assertThat(row("over").owner()).isEmpty();
        OutboxClaim next = given().claim(BOB);
        assertThat(next.outcomeUnknown()).isTrue();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.token()).isGreaterThan(over.token());
        assertThat(operations().audit(over.entry().id()))
                .extracting(AuditEntry::actor)
                .containsExactly(ACT.actor());
    }

    @Test
    default void a_worker_whose_entry_was_given_back_by_hand_has_lost_it() {
        OutboxClaim over = given().claimed(ANN, "over");
        given().letLeasesRunOut();
        operations().releaseExpired(ACT);
        assertThat(given().store().renew(ANN, List.of(over.ref()), Duration.ofMinutes(1)))
                .containsExactly(over.ref());
        assertThat(given().store().settle(ANN, List.of(new Settlement.Succeeded(over.ref(), ACCEPTED))))
                .containsExactly(over.ref());
        assertThat(given().status("over")).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    default void entries_with_a_live_lease_and_all_others_are_left_as_they_are() {
        given().claimed(ANN, "live");
        given().fail(ANN, given().claimed(ANN, "failed"));
        given().enqueued("pending");
        List<OutboxRow> before = List.of(row("live"), row("failed"), row("pending"));
        assertThat(operations().releaseExpired(ACT)).isZero();
        assertThat(List.of(row("live"), row("failed"), row("pending"))).isEqualTo(before);
    }

    @Test
    default void entries_that_were_settled_long_ago_are_removed_and_the_ledger_stays() {
        given().succeed(ANN, given().claimed(ANN, "succeeded"));
        given().abort(ANN, given().claimed(ANN, "aborted"));
        given().park(ANN, given().claimed(ANN, "parked"), false);
        given().enqueued("pending");
        given().pass(DAY);
        given().claim(ANN);
        given().succeed(ANN, given().claimed(ANN, "young"));

        assertThat(operations().purge(HALF_A_DAY, 10, ACT)).isEqualTo(2);
        assertThat(operations().purge(HALF_A_DAY, 10, ACT)).isZero();
        assertThat(operations().find("succeeded")).isEmpty();
        assertThat(operations().find("aborted")).isEmpty();
        for (String key : List.of("parked", "pending", "young")) {
            assertThat(operations().find(key)).as(key).isPresent();
        }
        assertThat(given().ledgerEntry("succeeded").status()).isEqualTo(LedgerStatus.SUCCEEDED);
        assertThat(given().ledgerEntry("aborted").status()).isEqualTo(LedgerStatus.FAILED);
    }

    @Test
    default void what_was_removed_and_is_enqueued_again_has_its_answer_and_is_not_sent() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        given().pass(DAY);
        operations().purge(HALF_A_DAY, 10, ACT);
        assertThat(given().enqueue(message("a"))).isEqualTo(new EnqueueResult.Settled(given().ledgerEntry("a")));
        assertThat(given().enqueue(OutboxMessage.of("a", "1"))).isInstanceOf(EnqueueResult.Conflict.class);
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(operations().find("a")).isEmpty();
    }

    @Test
    default void no_more_than_the_limit_are_removed_at_once() {
        for (int i = 0; i < 5; i++) {
            given().succeed(ANN, given().claimed(ANN, "key " + i));
        }
        given().pass(DAY);
        assertThat(operations().purge(HALF_A_DAY, 3, ACT)).isEqualTo(3);
        assertThat(operations().purge(HALF_A_DAY, 3, ACT)).isEqualTo(2);
        assertThat(operations().purge(HALF_A_DAY, 3, ACT)).isZero();
    }

    @Test
    default void a_removal_adds_nothing_to_the_audit_of_its_entries() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        long id = id("a");
        given().pass(HALF_A_DAY.plusSeconds(1));
        assertThat(operations().purge(HALF_A_DAY, 10, ACT)).isEqualTo(1);
        assertThat(operations().audit(id)).isEmpty();
    }

    @Test
    default void what_was_changed_of_an_entry_is_in_the_audit_after_its_removal() {
        given().enqueued("a");
        long id = id("a");
        operations().abort(id, ACT);
        given().pass(DAY);
        assertThat(operations().purge(HALF_A_DAY, 10, ACT)).isEqualTo(1);
        assertThat(operations().audit(id)).isNotEmpty();
        AuditEntry first = operations().audit(id).getFirst();
        assertThat(first.action()).isEqualTo("abort");
        assertThat(first.idempotencyKey()).isEqualTo("a");
    }

    @Test
    default void the_ledger_forgets_what_the_outbox_does_not_have_any_more() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        given().succeed(ANN, given().claimed(ANN, "b"));
        given().pass(DAY);
        assertThat(operations().pruneLedger(HALF_A_DAY, 10, ACT)).isZero();
        operations().purge(HALF_A_DAY, 10, ACT);
        assertThat(operations().pruneLedger(DAY.multipliedBy(2), 10, ACT)).isZero();
        assertThat(operations().pruneLedger(HALF_A_DAY, 1, ACT)).isEqualTo(1);
        assertThat(operations().pruneLedger(HALF_A_DAY, 10, ACT)).isEqualTo(1);
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(given().ledger().find("b")).isEmpty();
        given().enqueued("a");
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }
}
