package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class AttemptPolicyTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T10:00:00Z");
    private static final Instant NOW = CREATED.plusSeconds(60);
    private static final LedgerResult DONE = LedgerResult.succeeded("{}");

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void a_success_is_a_success_whatever_was_before(Guarantee guarantee) {
        for (boolean unknown : new boolean[] {false, true}) {
            OutboxClaim claim = claim(9, unknown, true);
            assertThat(policy(guarantee).afterSending(claim, unknown, new SendOutcome.Succeeded(DONE), NOW))
                    .isEqualTo(new Settlement.Succeeded(claim.ref(), DONE));
        }
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void a_permanent_answer_aborts_at_the_first_attempt(Guarantee guarantee) {
        OutboxClaim claim = claim(1, false, false);
        assertThat(policy(guarantee).afterSending(claim, false, ScriptedSender.REJECTED, NOW))
                .isEqualTo(aborted(claim, ReasonCode.REJECTED, "no such article"));
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void a_permanent_answer_parks_if_an_earlier_attempt_may_have_reached_the_receiver(Guarantee guarantee) {
        OutboxClaim claim = claim(2, true, false);
        assertThat(policy(guarantee).afterSending(claim, true, ScriptedSender.REJECTED, NOW))
                .isEqualTo(new Settlement.Parked(claim.ref(), ReasonCode.REJECTED, "no such article", true));
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void a_probe_that_does_not_get_through_gives_its_attempt_back_and_waits_for_its_backoff(Guarantee guarantee) {
        AttemptPolicy policy = policy(guarantee, options -> options.maxAge(Duration.ofSeconds(60)));
        Instant before = NOW.minusMillis(1);
        for (int attempt : new int[] {1, 6}) {
            OutboxClaim claim = claim(attempt, false, false);
            assertThat(policy.afterProbing(claim, false, retryAfter(Duration.ofMinutes(5)), before))
                    .contains(uncounted(claim, ReasonCode.UNAVAILABLE, "down", Duration.ofMinutes(5), false));
            assertThat(policy.afterProbing(claim, false, ScriptedSender.LOST, before))
                    .isEqualTo(
                            guarantee == Guarantee.NEITHER
                                    ? Optional.empty() // it is parked, and must not be sent again
                                    : Optional.of(uncounted(
                                            claim,
                                            ReasonCode.TIMEOUT,
                                            "no answer",
                                            Duration.ofSeconds(attempt == 1 ? 5 : 160),
                                            true)));
        }
        OutboxClaim claim = claim(1, false, false);
        assertThat(policy.afterProbing(claim, false, retryAfter(Duration.ZERO), NOW))
                .as("too old")
                .isEmpty();
        assertThat(policy.afterProbing(claim, false, ScriptedSender.LOST, NOW))
                .as("too old")
                .isEmpty();
    }

    private static Settlement uncounted(
            OutboxClaim claim, ReasonCode reason, String message, Duration delay, boolean unknown) {
        return new Settlement.Failed(claim.ref(), reason, message, delay, unknown, false);
    }

    private static SendOutcome.Retryable retryAfter(Duration after) {
        return new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "down", Optional.of(after));
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void a_retryable_failure_is_due_again_after_the_backoff_and_stays_as_unknown_as_it_was(Guarantee guarantee) {
        for (boolean unknown : new boolean[] {false, true}) {
            OutboxClaim claim = claim(2, unknown, false);
            assertThat(policy(guarantee).afterSending(claim, unknown, ScriptedSender.DOWN, NOW))
                    .isEqualTo(failed(claim, ReasonCode.UNAVAILABLE, Duration.ofSeconds(10), unknown));
        }
    }

    @Test
    void the_receiver_may_ask_for_a_longer_wait_and_not_for_a_shorter_one_or_one_for_ever() {
        assertThat(delay(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
        assertThat(delay(Duration.ofMillis(1))).isEqualTo(Duration.ofSeconds(5));
        assertThat(delay(Duration.ofDays(9_999))).isEqualTo(Backoff.MAX_DELAY);
    }

    private static Duration delay(Duration after) {
        OutboxClaim claim = claim(1, false, false);
        SendOutcome limited = new SendOutcome.Retryable(ReasonCode.RATE_LIMITED, "slower", Optional.of(after));
        return ((Settlement.Failed) policy(Guarantee.IDEMPOTENT).afterSending(claim, false, limited, NOW)).delay();
    }

    @Test
    void an_unknown_outcome_is_sent_again_asked_for_or_parked() {
        OutboxClaim claim = claim(1, false, false);
        Settlement again = failed(claim, ReasonCode.TIMEOUT, Duration.ofSeconds(5), true);
        assertThat(policy(Guarantee.IDEMPOTENT).afterSending(claim, false, ScriptedSender.LOST, NOW))
                .isEqualTo(again);
        assertThat(policy(Guarantee.QUERYABLE).afterSending(claim, false, ScriptedSender.LOST, NOW))
                .isEqualTo(again);
        assertThat(policy(Guarantee.NEITHER).afterSending(claim, false, ScriptedSender.LOST, NOW))
                .isEqualTo(new Settlement.Parked(claim.ref(), ReasonCode.TIMEOUT, "no answer", true));
    }

    @Test
    void only_one_whose_outcome_is_unknown_is_asked_for_and_only_if_it_can_be() {
        for (Guarantee guarantee : Guarantee.values()) {
            assertThat(policy(guarantee).asksFirst(claim(2, false, false))).isFalse();
            assertThat(policy(guarantee).asksFirst(claim(2, true, false))).isEqualTo(guarantee == Guarantee.QUERYABLE);
        }
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void the_last_attempt_aborts_if_all_failed_for_certain(Guarantee guarantee) {
        OutboxClaim claim = claim(6, false, false);
        assertThat(policy(guarantee).afterSending(claim, false, ScriptedSender.DOWN, NOW))
                .isEqualTo(aborted(claim, ReasonCode.UNAVAILABLE, "connection refused"));
    }

    @Test
    void the_last_attempt_parks_if_an_earlier_one_may_have_reached_the_receiver() {
        OutboxClaim claim = claim(6, true, false);
        assertThat(policy(Guarantee.IDEMPOTENT).afterSending(claim, true, ScriptedSender.DOWN, NOW))
                .isEqualTo(new Settlement.Parked(claim.ref(), ReasonCode.UNAVAILABLE, "connection refused", true));
    }

    @Test
    void the_last_attempt_parks_if_its_outcome_is_unknown_and_cannot_be_queried() {
        OutboxClaim claim = claim(6, false, false);
        for (Guarantee guarantee : EnumSet.of(Guarantee.IDEMPOTENT, Guarantee.NEITHER)) {
            assertThat(policy(guarantee).afterSending(claim, false, ScriptedSender.LOST, NOW))
                    .isEqualTo(new Settlement.Parked(claim.ref(), ReasonCode.TIMEOUT, "no answer", true));
        }
        assertThat(policy(Guarantee.QUERYABLE).afterSending(claim, false, ScriptedSender.LOST, NOW))
                .as("the next claim asks and sends nothing")
                .isInstanceOf(Settlement.Failed.class);
    }

    @Test
    void one_without_an_attempt_or_time_left_that_may_have_reached_an_idempotent_receiver_is_aborted_if_it_is_to() {
        UnaryOperator<OutboxSenderOptions.Builder> aborting = options -> options.unknownFailure(UnknownFailure.ABORT)
                .orderedFailure(OrderedFailurePolicy.PARK)
                .maxAge(Duration.ofDays(1));
        AttemptPolicy policy = policy(Guarantee.IDEMPOTENT, aborting);
        OutboxClaim claim = claim(6, true, false);
        assertThat(policy.afterSending(claim, true, ScriptedSender.LOST, NOW))
                .isEqualTo(aborted(claim, ReasonCode.OUTCOME_UNKNOWN, "no answer"));
        assertThat(policy.afterSending(claim, true, ScriptedSender.DOWN, NOW))
                .isEqualTo(aborted(claim, ReasonCode.OUTCOME_UNKNOWN, "connection refused"));
        assertThat(policy.withoutSending(claim(7, true, false), true, NOW))
                .get()
                .isInstanceOf(Settlement.Aborted.class);
        assertThat(policy.withoutSending(claim(2, true, false), true, NOW.plus(Duration.ofDays(1))))
                .get()
                .isInstanceOf(Settlement.Aborted.class);

        assertThat(policy.afterSending(claim, true, ScriptedSender.REJECTED, NOW))
                .as("a refusal speaks of this attempt alone")
                .isInstanceOf(Settlement.Parked.class);
        assertThat(policy.afterSending(ordered(claim), true, ScriptedSender.LOST, NOW))
                .as("its key is to wait")
                .isInstanceOf(Settlement.Parked.class);
        for (Guarantee other : EnumSet.of(Guarantee.QUERYABLE, Guarantee.NEITHER)) {
            assertThat(policy(other, aborting).afterSending(claim, true, ScriptedSender.DOWN, NOW))
                    .as("a requeue would have a second effect")
                    .isInstanceOf(Settlement.Parked.class);
        }
    }

    @Test
    void an_entry_older_than_the_maximum_age_fails_for_good_at_its_next_failure() {
        AttemptPolicy policy = policy(Guarantee.IDEMPOTENT, options -> options.maxAge(Duration.ofSeconds(60)));
        OutboxClaim claim = claim(1, false, false);
        assertThat(policy.afterSending(claim, false, ScriptedSender.DOWN, NOW.minusMillis(1)))
                .isInstanceOf(Settlement.Failed.class);
        assertThat(policy.afterSending(claim, false, ScriptedSender.DOWN, NOW))
                .isEqualTo(aborted(claim, ReasonCode.UNAVAILABLE, "connection refused"));
        assertThat(policy.afterSending(claim, true, ScriptedSender.DOWN, NOW)).isInstanceOf(Settlement.Parked.class);
    }

    @Test
    void one_that_is_too_old_is_not_sent_again_but_its_first_attempt_is_made() {
        AttemptPolicy policy = policy(Guarantee.IDEMPOTENT, options -> options.maxAge(Duration.ofSeconds(60)));
        assertThat(policy.withoutSending(claim(1, false, false), false, NOW)).isEmpty();
        assertThat(policy.withoutSending(claim(2, false, false), false, NOW.minusMillis(1)))
                .isEmpty();
        assertThat(policy.withoutSending(claim(2, false, false), false, NOW))
                .get()
                .isInstanceOfSatisfying(
                        Settlement.Aborted.class,
                        aborted -> assertThat(aborted.result()).isEqualTo(LedgerResult.failed(ReasonCode.TOO_OLD)));
        assertThat(policy.withoutSending(claim(2, true, false), true, NOW))
                .get()
                .isInstanceOf(Settlement.Parked.class);
    }

    @Test
    void one_without_an_attempt_left_is_not_sent() {
        AttemptPolicy policy = policy(Guarantee.IDEMPOTENT);
        assertThat(policy.withoutSending(claim(6, true, false), true, NOW)).isEmpty();
        assertThat(policy.withoutSending(claim(7, true, false), true, NOW))
                .get()
                .isInstanceOfSatisfying(Settlement.Parked.class, parked -> {
                    assertThat(parked.reason()).isEqualTo(ReasonCode.OUTCOME_UNKNOWN);
                    assertThat(parked.outcomeUnknown()).isTrue();
                });
        assertThat(policy.withoutSending(claim(7, false, false), false, NOW))
                .get()
                .isInstanceOf(Settlement.Aborted.class);
    }

    @Test
    void an_unknown_outcome_that_cannot_be_queried_is_parked_without_sending() {
        assertThat(policy(Guarantee.NEITHER).withoutSending(claim(2, true, false), true, NOW))
                .get()
                .isInstanceOfSatisfying(
                        Settlement.Parked.class,
                        parked -> assertThat(parked.reason()).isEqualTo(ReasonCode.OUTCOME_UNKNOWN));
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void one_that_has_expired_is_aborted_or_parked_if_it_may_have_reached_the_receiver(Guarantee guarantee) {
        AttemptPolicy policy = policy(guarantee);
        OutboxClaim claim = claim(1, false, true);
        Instant expiry = claim.entry().expiresAt().orElseThrow();
        assertThat(policy.withoutSending(claim, false, expiry.minusMillis(1))).isEmpty();
        assertThat(policy.withoutSending(claim, false, expiry))
                .get()
                .isInstanceOfSatisfying(
                        Settlement.Aborted.class,
                        aborted -> assertThat(aborted.result()).isEqualTo(LedgerResult.failed(ReasonCode.EXPIRED)));
        assertThat(policy.withoutSending(claim, true, expiry)).get().isInstanceOf(Settlement.Parked.class);
    }

    @Test
    void an_unknown_outcome_is_settled_by_the_answer_of_the_receiver() {
        AttemptPolicy policy = policy(Guarantee.QUERYABLE);
        OutboxClaim claim = claim(2, true, false);
        assertThat(policy.afterAsking(claim, new QueryOutcome.Taken(DONE), NOW))
                .contains(new Settlement.Succeeded(claim.ref(), DONE));
        assertThat(policy.afterAsking(claim, new QueryOutcome.Refused(ReasonCode.REJECTED, "no"), NOW))
                .contains(aborted(claim, ReasonCode.REJECTED, "no"));
        assertThat(policy.afterAsking(claim, new QueryOutcome.NotThere(), NOW)).isEmpty();
        assertThat(policy.afterAsking(claim, new QueryOutcome.StillUnknown(ReasonCode.TIMEOUT, "no answer"), NOW))
                .contains(failed(claim, ReasonCode.TIMEOUT, Duration.ofSeconds(10), true));
    }

    @Test
    void one_that_stays_unknown_to_the_last_is_parked() {
        OutboxClaim claim = claim(7, true, false);
        assertThat(policy(Guarantee.QUERYABLE)
                        .afterAsking(claim, new QueryOutcome.StillUnknown(ReasonCode.TIMEOUT, "no answer"), NOW))
                .contains(new Settlement.Parked(claim.ref(), ReasonCode.TIMEOUT, "no answer", true));
    }

    @Test
    void an_entry_with_an_ordering_key_parks_instead_of_being_aborted_if_it_is_to() {
        AttemptPolicy policy =
                policy(Guarantee.IDEMPOTENT, options -> options.orderedFailure(OrderedFailurePolicy.PARK));
        OutboxClaim ordered = ordered(claim(6, false, false));
        assertThat(policy.afterSending(ordered, false, ScriptedSender.REJECTED, NOW))
                .isEqualTo(new Settlement.Parked(ordered.ref(), ReasonCode.REJECTED, "no such article", false));
        assertThat(policy.afterSending(ordered, false, ScriptedSender.DOWN, NOW))
                .isEqualTo(new Settlement.Parked(ordered.ref(), ReasonCode.UNAVAILABLE, "connection refused", false));
        assertThat(policy.afterSending(claim(6, false, false), false, ScriptedSender.REJECTED, NOW))
                .as("others are aborted all the same")
                .isInstanceOf(Settlement.Aborted.class);
        assertThat(policy(Guarantee.IDEMPOTENT).afterSending(ordered, false, ScriptedSender.REJECTED, NOW))
                .as("and so is it by default")
                .isInstanceOf(Settlement.Aborted.class);
    }

    @Test
    void an_entry_with_an_ordering_key_that_has_expired_parks_instead_of_being_aborted_if_it_is_to() {
        AttemptPolicy policy =
                policy(Guarantee.IDEMPOTENT, options -> options.orderedFailure(OrderedFailurePolicy.PARK));
        OutboxClaim ordered = ordered(claim(1, false, true));
        Instant expiry = ordered.entry().expiresAt().orElseThrow();
        assertThat(policy.withoutSending(ordered, false, expiry))
                .get()
                .isInstanceOfSatisfying(Settlement.Parked.class, parked -> {
                    assertThat(parked.reason()).isEqualTo(ReasonCode.EXPIRED);
                    assertThat(parked.outcomeUnknown()).isFalse();
                });
        assertThat(policy.withoutSending(claim(1, false, true), false, expiry))
                .get()
                .isInstanceOf(Settlement.Aborted.class);
    }

    /** Over all outcomes, guarantees, attempts and histories: the two things that must never happen. */
    @Test
    void nothing_that_may_have_reached_the_receiver_is_aborted_by_what_came_of_another_attempt() {
        Set<SendOutcome> outcomes = Set.of(ScriptedSender.DOWN, ScriptedSender.LOST, ScriptedSender.REJECTED);
        for (Guarantee guarantee : Guarantee.values()) {
            for (OrderedFailurePolicy failure : OrderedFailurePolicy.values()) {
                AttemptPolicy policy = policy(
                        guarantee, options -> options.orderedFailure(failure).maxAge(Duration.ofSeconds(30)));
                for (int attempt = 1; attempt <= 8; attempt++) {
                    for (SendOutcome outcome : outcomes) {
                        Settlement after = policy.afterSending(claim(attempt, true, true), true, outcome, NOW);
                        assertThat(after).isNotInstanceOf(Settlement.Aborted.class);
                        assertThat(isUnknown(after)).isTrue();
                    }
                    assertThat(policy.withoutSending(claim(attempt, true, true), true, NOW.plusSeconds(3600)))
                            .get()
                            .isInstanceOf(Settlement.Parked.class);
                }
            }
        }
    }

    private static boolean isUnknown(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Failed failed -> failed.outcomeUnknown();
            case Settlement.Parked parked -> parked.outcomeUnknown();
            case Settlement.Succeeded succeeded -> false;
            case Settlement.Aborted aborted -> false;
            case Settlement.Released released -> false;
        };
    }

    private static AttemptPolicy policy(Guarantee guarantee) {
        return policy(guarantee, options -> options);
    }

    private static AttemptPolicy policy(Guarantee guarantee, UnaryOperator<OutboxSenderOptions.Builder> change) {
        return new AttemptPolicy(change.apply(OutboxSenderOptions.builder()).build(), guarantee, new Random(1));
    }

    private static OutboxClaim claim(int attempt, boolean unknown, boolean expires) {
        OutboxEntry entry = new OutboxEntry(
                17,
                "order-1",
                1,
                "digest",
                "{}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                CREATED,
                expires ? Optional.of(CREATED.plusSeconds(600)) : Optional.empty());
        return new OutboxClaim(entry, 40L + attempt, attempt, unknown, NOW);
    }

    private static OutboxClaim ordered(OutboxClaim claim) {
        OutboxEntry entry = claim.entry();
        return new OutboxClaim(
                new OutboxEntry(
                        entry.id(),
                        entry.idempotencyKey(),
                        entry.generation(),
                        entry.requestDigest(),
                        entry.payload(),
                        Optional.empty(),
                        "",
                        Optional.of("customer-1"),
                        entry.traceparent(),
                        entry.createdAt(),
                        entry.expiresAt()),
                claim.token(),
                claim.attempt(),
                claim.outcomeUnknown(),
                claim.claimedAt());
    }

    private static Settlement aborted(OutboxClaim claim, ReasonCode reason, String message) {
        return new Settlement.Aborted(claim.ref(), LedgerResult.failed(reason), message);
    }

    private static Settlement failed(OutboxClaim claim, ReasonCode reason, Duration delay, boolean unknown) {
        String message = reason.equals(ReasonCode.TIMEOUT) ? "no answer" : "connection refused";
        return new Settlement.Failed(claim.ref(), reason, message, delay, unknown);
    }
}
