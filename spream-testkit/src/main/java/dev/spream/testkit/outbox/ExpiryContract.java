package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.failure;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static dev.spream.testkit.outbox.OutboxScenario.unknownFailure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of entries that have expired. */
interface ExpiryContract<T> extends OutboxScenario.Stage<T> {
    Duration LIFE = Duration.ofMinutes(5);

    @Test
    default void an_entry_that_expired_before_it_was_claimed_is_aborted_as_such() {
        shortLived("a");
        given().enqueued("b");
        given().pass(LIFE.plusSeconds(1));

        assertThat(given().store().expire(10)).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
        assertThat(given().result("a")).contains(LedgerResult.failed(ReasonCode.EXPIRED));
        assertThat(given().claimedKeys(ANN)).containsExactly("b");
        assertThat(given().store().expire(10)).isZero();
    }

    @Test
    default void an_entry_that_has_time_left_does_not_expire() {
        shortLived("a");
        given().pass(LIFE.minusSeconds(30));
        assertThat(given().store().expire(10)).isZero();
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }

    @Test
    default void a_failed_entry_that_certainly_did_not_arrive_is_aborted_when_it_expires() {
        shortLived("a");
        given().settle(ANN, failure(given().claim(ANN).ref(), LIFE.multipliedBy(2)));
        given().pass(LIFE.plusSeconds(1));
        assertThat(given().store().expire(10)).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
    }

    @Test
    default void an_entry_that_may_have_arrived_is_parked_when_it_expires() {
        shortLived("a");
        given().settle(ANN, unknownFailure(given().claim(ANN).ref(), Duration.ZERO));
        given().pass(LIFE.plusSeconds(1));

        assertThat(given().store().expire(10)).isEqualTo(1);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.FAILED);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
        given().pass(Duration.ofDays(400));
        assertThat(given().claims(BOB)).isEmpty();
        assertThat(given().store().expire(10)).as("it waits for an operator").isZero();
    }

    @Test
    default void an_entry_that_is_being_sent_does_not_expire() {
        shortLived("live");
        shortLived("over");
        List<OutboxClaim> claims = given().claims(ANN);
        given().pass(LIFE);
        given().store().renew(ANN, List.of(claims.getFirst().ref()), LEASE);
        given().pass(Duration.ofSeconds(1));

        assertThat(given().store().expire(10)).isZero();
        assertThat(keys(given().claims(BOB)))
                .as("given out again, with its outcome unknown")
                .containsExactly(claims.getLast().entry().idempotencyKey());
    }

    @Test
    default void no_more_than_the_limit_expire_at_once() {
        IntStream.range(0, 5).forEach(i -> shortLived("key " + i));
        given().pass(LIFE.plusSeconds(1));
        assertThat(List.of(
                        given().store().expire(2),
                        given().store().expire(2),
                        given().store().expire(2),
                        given().store().expire(2)))
                .containsExactly(2, 2, 1, 0);
    }

    @Test
    default void each_entry_expires_once_for_all_workers_together() throws Exception {
        IntStream.range(0, 20).forEach(i -> shortLived("key " + i));
        given().pass(LIFE.plusSeconds(1));
        int first = given().onThreads(5, () -> given().store().expire(20)).stream()
                .mapToInt(Integer::intValue)
                .sum();
        assertThat(first + given().store().expire(20)).isEqualTo(20);
        assertThat(IntStream.range(0, 20).mapToObj(i -> given().status("key " + i)))
                .containsOnly(OutboxStatus.ABORTED);
    }

    @Test
    default void an_expired_ordered_entry_releases_its_key() {
        given().enqueued(messageBuilder("a")
                .orderingKey("k")
                .expiresAt(given().in(LIFE))
                .build());
        long next = given().ordered("b", "k");
        given().pass(LIFE.plusSeconds(1));
        assertThat(given().claimOrdered(ANN, next)).isEmpty();
        assertThat(given().store().expire(10)).isEqualTo(1);
        assertThat(keys(given().claimOrdered(ANN, next))).containsExactly("b");
    }

    @Test
    default void an_entry_that_failed_holds_its_key_no_longer_than_it_lives() {
        long first = given().enqueued(messageBuilder("a")
                .orderingKey("k")
                .expiresAt(given().in(LIFE))
                .build());
        long next = given().ordered("b", "k");
        OutboxClaim claim = given().claimOrdered(ANN, first).getFirst();
        given().settle(ANN, failure(claim.ref(), LIFE.multipliedBy(2)));
        assertThat(given().store().ordered("", "k", 1).getFirst().dueIn()).isBetween(LIFE.minusSeconds(30), LIFE);

        given().pass(LIFE.plusSeconds(1));
        assertThat(given().store().ordered("", "k", 1).getFirst().dueIn()).isZero();
        assertThat(given().claimOrdered(ANN, first, next)).isEmpty();
        assertThat(given().store().expire(10)).isEqualTo(1);
        assertThat(keys(given().claimOrdered(ANN, next))).containsExactly("b");
    }

    @Test
    default void an_expired_entry_whose_request_was_settled_takes_over_the_result_of_the_ledger() {
        shortLived("a");
        given().settledInLedger("a", ACCEPTED);
        given().pass(LIFE.plusSeconds(1));
        given().store().expire(10);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.SUCCEEDED);
    }

    @Test
    default void an_expired_entry_with_unknown_outcome_takes_over_the_result_of_the_ledger() {
        shortLived("a");
        given().settle(ANN, unknownFailure(given().claim(ANN).ref(), Duration.ZERO));
        given().settledInLedger("a", ACCEPTED);
        given().pass(LIFE.plusSeconds(1));
        given().store().expire(10);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }

    private void shortLived(String key) {
        given().enqueued(messageBuilder(key).expiresAt(given().in(LIFE)).build());
    }
}
