package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of the leases of claims. */
interface ClaimLeaseContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_store() {
        given().claimed(ANN, "a");
        given().pass(LEASE.minusSeconds(20));
        assertThat(given().claims(BOB)).isEmpty();
        given().pass(Duration.ofSeconds(21));
        assertThat(given().claims(BOB)).hasSize(1);
    }

    @Test
    default void each_claim_has_the_lease_that_was_asked_for() {
        given().enqueuedAll("a", "b");
        given().store().claim(ANN, "", 1, LEASE);
        given().store().claim(ANN, "", 1, LEASE.multipliedBy(3));
        given().letLeasesRunOut();
        assertThat(given().claims(BOB)).hasSize(1);
        given().pass(LEASE.multipliedBy(2));
        assertThat(given().claims(BOB)).hasSize(2);
    }

    @Test
    default void a_renewed_lease_lasts_from_the_time_of_the_renewal() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().pass(Duration.ofSeconds(40));
        assertThat(given().store().renew(ANN, List.of(claim.ref()), LEASE)).isEmpty();
        given().pass(Duration.ofSeconds(40));
        assertThat(given().claims(BOB)).isEmpty();
        given().pass(Duration.ofSeconds(21));
        assertThat(given().claims(BOB)).hasSize(1);
    }

    @Test
    default void a_renewal_changes_nothing_but_the_lease() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().store().renew(ANN, List.of(claim.ref()), LEASE);
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SENDING);
        given().letLeasesRunOut();
        OutboxClaim next = given().claim(BOB);
        assertThat(next.token()).isEqualTo(claim.token() + 1);
        assertThat(next.attempt()).isEqualTo(2);
    }

    @Test
    default void an_expired_lease_that_was_not_taken_over_can_be_renewed() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        assertThat(given().store().renew(ANN, List.of(claim.ref()), LEASE)).isEmpty();
        assertThat(given().claims(BOB)).isEmpty();
    }

    @Test
    default void a_renewal_reports_exactly_those_that_were_lost() {
        OutboxClaim takenOver = given().claimed(ANN, "taken over");
        given().letLeasesRunOut();
        OutboxClaim bobs = given().claim(BOB);
        OutboxClaim held = given().claimed(ANN, "held");
        OutboxClaim settled = given().claimed(ANN, "settled");
        given().succeed(ANN, settled);
        OutboxClaim failed = given().claimed(ANN, "failed");
        given().fail(ANN, failed);
        OutboxClaim.Ref unknown = new OutboxClaim.Ref(Long.MAX_VALUE, 1);
        OutboxClaim.Ref toCome = new OutboxClaim.Ref(held.ref().id(), held.token() + 1);

        assertThat(given().store()
                        .renew(
                                ANN,
                                List.of(
                                        takenOver.ref(),
                                        bobs.ref(),
                                        held.ref(),
                                        settled.ref(),
                                        failed.ref(),
                                        unknown,
                                        toCome),
                                LEASE))
                .containsExactlyInAnyOrder(takenOver.ref(), bobs.ref(), settled.ref(), failed.ref(), unknown, toCome);
    }

    @Test
    default void a_worker_that_took_its_own_entry_over_cannot_renew_the_older_claim() {
        OutboxClaim older = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        OutboxClaim newer = given().claim(ANN);
        assertThat(given().store().renew(ANN, List.of(older.ref(), newer.ref()), LEASE))
                .containsExactly(older.ref());
    }

    @Test
    default void a_renewal_of_an_older_claim_does_not_make_the_newer_one_last_longer() {
        OutboxClaim older = given().claimed(ANN, "a");
        given().letLeasesRunOut();
        given().claim(ANN);
        given().pass(LEASE.minusSeconds(20));
        assertThat(given().store().renew(ANN, List.of(older.ref()), LEASE)).containsExactly(older.ref());
        given().pass(Duration.ofSeconds(21));
        assertThat(given().claims(BOB)).hasSize(1);
    }

    @Test
    default void renewing_nothing_loses_nothing() {
        assertThat(given().store().renew(ANN, List.of(), LEASE)).isEmpty();
    }

    @Test
    default void hundreds_of_claims_are_renewed_at_once() {
        List<OutboxMessage> messages =
                IntStream.range(0, 300).mapToObj(i -> message("key " + i)).toList();
        given().committed(transaction -> given().outbox().enqueueAll(transaction, messages));
        List<OutboxClaim> claims = given().store().claim(ANN, "", 300, LEASE).claims();
        assertThat(claims).hasSize(300);

        assertThat(given().store()
                        .renew(ANN, claims.stream().map(OutboxClaim::ref).toList(), LEASE.multipliedBy(2)))
                .isEmpty();
        given().letLeasesRunOut();
        assertThat(given().claims(BOB)).isEmpty();
    }
}
