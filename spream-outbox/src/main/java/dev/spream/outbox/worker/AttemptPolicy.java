package dev.spream.outbox.worker;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Derives the settlement of a claim from the state of the entry, the outcome of an attempt, and the options. Stateless
 * and free of side effects.
 *
 * <p>Main rule: an entry is aborted only if the receiver certainly has not accepted it, unless {@link
 * UnknownFailure#ABORT} applies to an entry that has no attempts left. An entry that may have reached the receiver is
 * sent again if that is harmless, resolved by a query if that is possible, and otherwise parked for an operator. A
 * response of the receiver, or of a proxy in front of it, to a later attempt does not determine the outcome of an
 * earlier one; the answer to a query does.
 *
 * @param random the source of jitter; used by many threads
 */
record AttemptPolicy(OutboxSenderOptions options, Guarantee guarantee, RandomGenerator random) {
    /** Returns whether the receiver has to be queried before the entry is sent. */
    boolean asksFirst(OutboxClaim claim) {
        return claim.outcomeUnknown() && guarantee == Guarantee.QUERYABLE;
    }

    /**
     * Returns the settlement of a claim that must not be sent; empty if it may be sent.
     *
     * @param unknown whether an earlier attempt may have reached the receiver, according to the query if one was made
     * @param now the store's time, or a later one
     */
    Optional<Settlement> withoutSending(OutboxClaim claim, boolean unknown, Instant now) {
        if (unknown && guarantee == Guarantee.NEITHER) {
            return Optional.of(new Settlement.Parked(
                    claim.ref(),
                    ReasonCode.OUTCOME_UNKNOWN,
                    "attempt %d may have reached the receiver, which cannot be queried".formatted(claim.attempt() - 1),
                    true));
        }
        if (hasExpired(claim, now)) {
            String message = "expired at %s, before attempt %d"
                    .formatted(claim.entry().expiresAt().orElseThrow(), claim.attempt());
            return Optional.of(parkOrAbort(claim, unknown, ReasonCode.EXPIRED, message));
        }
        if (claim.attempt() > options.maxAttempts()) {
            ReasonCode reason = unknown ? ReasonCode.OUTCOME_UNKNOWN : ReasonCode.TOO_OLD;
            return Optional.of(exhausted(claim, unknown, reason, "no attempts left of " + options.maxAttempts()));
        }
        if (claim.attempt() > 1 && isTooOld(claim, now)) {
            return Optional.of(exhausted(
                    claim,
                    unknown,
                    ReasonCode.TOO_OLD,
                    "enqueued at %s and not sent within the maximum age"
                            .formatted(claim.entry().createdAt())));
        }
        return Optional.empty();
    }

    /**
     * Returns the settlement of the claim after an attempt.
     *
     * @param unknown whether an earlier attempt may have reached the receiver
     * @param now the store's time
     */
    Settlement afterSending(OutboxClaim claim, boolean unknown, SendOutcome outcome, Instant now) {
        return switch (outcome) {
            case SendOutcome.Succeeded succeeded -> new Settlement.Succeeded(claim.ref(), succeeded.result());
            case SendOutcome.Permanent permanent ->
                parkOrAbort(claim, unknown, permanent.reason(), permanent.message()); // applies to this attempt only
            case SendOutcome.Retryable retryable ->
                isExhausted(claim, now)
                        ? exhausted(claim, unknown, retryable.reason(), retryable.message())
                        : failed(claim, retryable.reason(), retryable.message(), retryable.after(), unknown, true);
            case SendOutcome.Unknown lost -> unknown(claim, lost, now);
        };
    }

    /**
     * Returns the settlement of the claim after an attempt or query that probed the receiver and did not reach it. The
     * attempt does not count, and the entry waits for its backoff, so that the next probe is another entry. Empty if
     * the normal rules apply, because the entry is too old or must not be sent again.
     *
     * @param unknown whether an earlier attempt may have reached the receiver
     * @param now the store's time
     */
    Optional<Settlement> afterProbing(OutboxClaim claim, boolean unknown, SendOutcome outcome, Instant now) {
        if (isTooOld(claim, now)) {
            return Optional.empty();
        }
        return switch (outcome) {
            case SendOutcome.Retryable retryable ->
                Optional.of(failed(claim, retryable.reason(), retryable.message(), retryable.after(), unknown, false));
            case SendOutcome.Unknown lost
            when guarantee != Guarantee.NEITHER ->
                Optional.of(failed(claim, lost.reason(), lost.message(), Optional.empty(), true, false));
            default -> Optional.empty();
        };
    }

    private Settlement unknown(OutboxClaim claim, SendOutcome.Unknown lost, Instant now) {
        return switch (guarantee) {
            case IDEMPOTENT ->
                isExhausted(claim, now)
                        ? exhausted(claim, true, lost.reason(), lost.message())
                        : unknownAgain(claim, lost);
            case QUERYABLE ->
                unknownAgain(
                        claim, lost); // the next claim queries the receiver, and sends nothing if no attempts are left
            case NEITHER -> new Settlement.Parked(claim.ref(), lost.reason(), lost.message(), true);
        };
    }

    private Settlement unknownAgain(OutboxClaim claim, SendOutcome.Unknown lost) {
        return failed(claim, lost.reason(), lost.message(), Optional.empty(), true, true);
    }

    /**
     * Returns the settlement of the claim after the receiver was queried; empty if the entry never reached it and may
     * be sent.
     *
     * @param now the store's time
     */
    Optional<Settlement> afterAsking(OutboxClaim claim, QueryOutcome answer, Instant now) {
        return switch (answer) {
            case QueryOutcome.Taken taken -> Optional.of(new Settlement.Succeeded(claim.ref(), taken.result()));
            case QueryOutcome.Refused refused ->
                Optional.of(parkOrAbort(claim, false, refused.reason(), refused.message()));
            case QueryOutcome.NotThere notThere -> Optional.empty();
            case QueryOutcome.StillUnknown still ->
                Optional.of(
                        isExhausted(claim, now) || hasExpired(claim, now)
                                ? new Settlement.Parked(claim.ref(), still.reason(), still.message(), true)
                                : failed(claim, still.reason(), still.message(), Optional.empty(), true, true));
        };
    }

    private Settlement parkOrAbort(OutboxClaim claim, boolean unknown, ReasonCode reason, String message) {
        return unknown || blocksKey(claim)
                ? new Settlement.Parked(claim.ref(), reason, message, unknown)
                : abort(claim, reason, message);
    }

    /** Returns the settlement of an entry that has no attempts or no time left. */
    private Settlement exhausted(OutboxClaim claim, boolean unknown, ReasonCode reason, String message) {
        boolean abortsUnknown = guarantee == Guarantee.IDEMPOTENT
                && options.unknownFailure() == UnknownFailure.ABORT
                && !blocksKey(claim);
        return unknown && abortsUnknown
                ? abort(claim, ReasonCode.OUTCOME_UNKNOWN, message)
                : parkOrAbort(claim, unknown, reason, message);
    }

    private boolean blocksKey(OutboxClaim claim) {
        return claim.entry().orderingKey().isPresent() && options.orderedFailure() == OrderedFailurePolicy.PARK;
    }

    private static Settlement abort(OutboxClaim claim, ReasonCode reason, String message) {
        return new Settlement.Aborted(claim.ref(), LedgerResult.failed(reason), message);
    }

    private Settlement failed(
            OutboxClaim claim,
            ReasonCode reason,
            String message,
            Optional<Duration> atLeast,
            boolean unknown,
            boolean counts) {
        Duration backoff = options.backoff().after(claim.attempt(), random);
        Duration delay = atLeast.filter(after -> after.compareTo(backoff) > 0).orElse(backoff);
        Duration bounded = delay.compareTo(Backoff.MAX_DELAY) > 0 ? Backoff.MAX_DELAY : delay;
        return new Settlement.Failed(claim.ref(), reason, message, bounded, unknown, counts);
    }

    private boolean isExhausted(OutboxClaim claim, Instant now) {
        return claim.attempt() >= options.maxAttempts() || isTooOld(claim, now);
    }

    private boolean isTooOld(OutboxClaim claim, Instant now) {
        return options.maxAge()
                .filter(age -> !now.isBefore(claim.entry().createdAt().plus(age)))
                .isPresent();
    }

    private static boolean hasExpired(OutboxClaim claim, Instant now) {
        return claim.entry().expiresAt().filter(at -> !now.isBefore(at)).isPresent();
    }
}
