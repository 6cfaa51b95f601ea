package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.DELAY;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.everySettlement;
import static dev.spream.testkit.outbox.OutboxScenario.failure;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.unknownFailure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of settlements: their effects on the ledger and the outbox. */
interface SettlementContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_success_is_in_the_ledger_and_in_the_outbox() {
        LedgerResult answer =
                new LedgerResult(LedgerStatus.SUCCEEDED, 201, Optional.of("{\"order\":7}"), Optional.empty());
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, new Settlement.Succeeded(claim.ref(), answer));

        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        LedgerResult stored = given().result("a").orElseThrow();
        assertThat(stored.status()).isEqualTo(LedgerStatus.SUCCEEDED);
        assertThat(stored.httpStatus()).isEqualTo(201);
        assertThat(json(stored.responsePayload().orElseThrow())).isEqualTo("{\"order\":7}");
        assertThat(stored.reason()).isEmpty();
        assertThat(given().ledgerEntry("a").settledAt().orElseThrow())
                .isAfterOrEqualTo(given().ledgerEntry("a").createdAt());
    }

    @Test
    default void a_success_without_an_answer_has_none_in_the_ledger() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()));
        assertThat(given().result("a")).contains(LedgerResult.succeeded());
    }

    @Test
    default void what_is_given_up_has_failed_in_the_ledger_and_is_aborted_in_the_outbox() {
        given().abort(ANN, given().claimed(ANN, "a"));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().result("a")).contains(REJECTED);
    }

    @Test
    default void a_reason_of_a_senders_own_is_kept() {
        LedgerResult result = new LedgerResult(
                LedgerStatus.FAILED, 418, Optional.of("\"short\""), Optional.of(new ReasonCode("TEAPOT_7")));
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, new Settlement.Aborted(claim.ref(), result, "short and stout"));
        assertThat(given().result("a")).contains(result);
    }

    @Test
    default void a_failure_leaves_the_request_in_progress() {
        given().fail(ANN, given().claimed(ANN, "a"));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.FAILED);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
    }

    @Test
    default void a_parked_entry_is_a_failed_one_whose_request_is_in_progress() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.FAILED);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
    }

    @Test
    default void what_is_released_is_pending_and_due_and_its_attempt_does_not_count() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, new Settlement.Released(claim.ref()));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.PENDING);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);

        OutboxClaim next = given().claim(BOB);
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.token()).isEqualTo(claim.token() + 1);
        assertThat(next.outcomeUnknown()).isFalse();
    }

    @Test
    default void what_is_released_is_due_as_long_as_before() {
        given().enqueuedAll("older", "newer");
        OutboxClaim older = given().store().claim(ANN, "", 1, LEASE).claims().getFirst();
        given().settle(ANN, new Settlement.Released(older.ref()));
        assertThat(keys(given().store().claim(ANN, "", 1, LEASE).claims())).containsExactly("older");
    }

    @Test
    default void what_is_released_is_as_unknown_as_before() {
        given().claimed(ANN, "a");
        given().letLeasesRunOut();
        OutboxClaim taken = given().claim(BOB);
        given().settle(BOB, new Settlement.Released(taken.ref()));

        OutboxClaim next = given().claim(ANN);
        assertThat(next.outcomeUnknown()).isTrue();
        assertThat(next.attempt()).isEqualTo(2);
    }

    @Test
    default void a_delay_counts_from_the_settlement_on() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().pass(Duration.ofSeconds(30));
        given().settle(ANN, failure(claim.ref(), Duration.ofSeconds(30)));
        given().pass(Duration.ofSeconds(20));
        assertThat(given().claims(BOB)).isEmpty();
        given().pass(Duration.ofSeconds(11));
        assertThat(given().claims(BOB)).hasSize(1);
    }

    @Test
    default void a_claim_that_failed_has_no_lease_any_more() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(ANN, failure(claim.ref(), Duration.ZERO));
        ClaimResult result = given().store().claim(BOB, "", 10, LEASE);
        assertThat(result.claims()).hasSize(1);
        assertThat(result.leasesExpired()).isZero();
    }

    @Test
    default void a_claim_with_an_expired_lease_that_was_not_taken_over_can_be_settled() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        given().succeed(ANN, claim);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().claims(BOB)).isEmpty();
    }

    @Test
    default void a_settlement_that_is_repeated_is_not_lost_and_changes_nothing() {
        for (int kind = 0; kind < 5; kind++) {
            String key = "kind " + kind;
            OutboxClaim claim = given().claimed(ANN, key);
            Settlement settlement = everySettlement(claim.ref()).get(kind);
            given().settle(ANN, settlement);
            OutboxStatus status = given().status(key);
            LedgerEntry entry = given().ledgerEntry(key);

            given().settle(ANN, settlement);
            assertThat(given().status(key)).as(key).isEqualTo(status);
            assertThat(given().ledgerEntry(key)).as(key).isEqualTo(entry);
        }
    }

    @Test
    default void a_failure_that_does_not_count_gives_its_attempt_back_once_and_waits_for_its_delay() {
        OutboxClaim first = given().claimed(ANN, "a");
        given().settle(ANN, unknownFailure(first.ref(), Duration.ZERO));
        OutboxClaim claim = given().claim(ANN);
        assertThat(claim.attempt()).isEqualTo(2);
        Settlement tried = new Settlement.Failed(claim.ref(), ReasonCode.TIMEOUT, "no answer", DELAY, true, false);
        given().settle(ANN, tried);
        given().settle(ANN, tried);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.FAILED);
        assertThat(given().claims(BOB)).as("before its delay is over").isEmpty();
        given().pass(DELAY.plusSeconds(1));
        OutboxClaim next = given().claim(BOB);
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.outcomeUnknown()).isTrue();
    }

    @Test
    default void a_release_that_is_repeated_gives_one_attempt_back() {
        OutboxClaim first = given().claimed(ANN, "a");
        given().settle(ANN, failure(first.ref(), Duration.ZERO));
        Settlement release = new Settlement.Released(given().claim(ANN).ref());
        given().settle(ANN, release);
        given().settle(ANN, release);
        assertThat(given().claim(ANN).attempt()).isEqualTo(2);
    }

    @Test
    default void a_batch_of_all_kinds_settles_each_its_own_way() {
        given().enqueuedAll("0", "1", "2", "3", "4");
        List<OutboxClaim> claims = given().claims(ANN);
        given().settle(
                        ANN,
                        IntStream.range(0, 5)
                                .mapToObj(i ->
                                        everySettlement(claims.get(i).ref()).get(i))
                                .toArray(Settlement[]::new));
        assertThat(claims.stream().map(claim -> given().status(claim.entry().idempotencyKey())))
                .containsExactly(
                        OutboxStatus.SUCCEEDED,
                        OutboxStatus.FAILED,
                        OutboxStatus.FAILED,
                        OutboxStatus.ABORTED,
                        OutboxStatus.PENDING);
    }

    @Test
    default void settling_nothing_loses_nothing() {
        assertThat(given().store().settle(ANN, List.of())).isEmpty();
    }

    @Test
    default void hundreds_of_claims_are_settled_at_once() {
        List<OutboxMessage> messages =
                IntStream.range(0, 400).mapToObj(i -> message("key " + i)).toList();
        given().committed(transaction -> given().outbox().enqueueAll(transaction, messages));
        List<Settlement> settlements = given().store().claim(ANN, "", 400, LEASE).claims().stream()
                .<Settlement>map(claim -> new Settlement.Succeeded(
                        claim.ref(),
                        LedgerResult.succeeded("\"%s\""
                                .formatted(claim.entry().idempotencyKey().replace(' ', '-')))))
                .toList();
        assertThat(settlements).hasSize(400);

        assertThat(given().store().settle(ANN, settlements)).isEmpty();
        for (int i = 0; i < 400; i += 57) {
            assertThat(given().result("key " + i).orElseThrow().responsePayload())
                    .contains("\"key-%d\"".formatted(i));
            assertThat(given().status("key " + i)).isEqualTo(OutboxStatus.SUCCEEDED);
        }
    }

    @Test
    default void messages_of_any_length_and_characters_stop_no_settlement() {
        OutboxClaim failed = given().claimed(ANN, "a");
        OutboxClaim aborted = given().claimed(ANN, "b");
        String wild = "a NUL \0, half a pair \ud83d, a whole one \ud83d\ude00 " + "\ud83d\ude00".repeat(5_000);
        given().settle(
                        ANN,
                        new Settlement.Failed(failed.ref(), ReasonCode.INTERNAL_ERROR, wild, Duration.ZERO, false),
                        new Settlement.Aborted(aborted.ref(), REJECTED, wild));
        assertThat(given().status("a")).isEqualTo(OutboxStatus.FAILED);
        assertThat(given().status("b")).isEqualTo(OutboxStatus.ABORTED);
    }

    @Test
    default void answers_that_the_store_cannot_hold_stop_no_settlement() {
        OutboxClaim escaped = given().claimed(ANN, "a");
        OutboxClaim half = given().claimed(ANN, "b");
        OutboxClaim plain = given().claimed(ANN, "c");
        given().settle(
                        ANN,
                        new Settlement.Succeeded(escaped.ref(), LedgerResult.succeeded("{\"a\":\"\\u0000\"}")),
                        new Settlement.Succeeded(half.ref(), LedgerResult.succeeded("{\"a\":\"\\ud83d\"}")),
                        new Settlement.Succeeded(plain.ref(), ACCEPTED));
        for (String key : List.of("a", "b", "c")) {
            assertThat(given().status(key)).isEqualTo(OutboxStatus.SUCCEEDED);
            assertThat(given().ledgerEntry(key).status()).isEqualTo(LedgerStatus.SUCCEEDED);
        }
        assertThat(json(given().result("c").orElseThrow().responsePayload().orElseThrow()))
                .isEqualTo("{\"order\":7}");
    }
}
