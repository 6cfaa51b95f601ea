package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the attempts of claimed entries: sends an entry, or queries the receiver about it, and derives the settlement.
 * Safe for use by many threads.
 */
record Attempts(
        OutboxSender sender,
        Duration timeout,
        AttemptPolicy policy,
        CircuitBreakerEvents breaker,
        WorkerEvents events,
        WorkerSignals signals) {
    private static final Logger log = LoggerFactory.getLogger(Attempts.class);

    /** The outcome reported for a query whose answer is that the entry never reached the receiver. */
    private static final SendOutcome NOT_THERE =
            new SendOutcome.Retryable(new ReasonCode("NOT_THERE"), "the entry has not reached the receiver");

    /**
     * Makes one attempt and returns its settlement; empty if the claim was lost. Called on a thread of the attempt's
     * own.
     */
    Optional<Settlement> run(ActiveClaim held) {
        try {
            return Optional.ofNullable(settlement(held)).filter(settlement -> held.startSettling());
        } finally {
            breaker.dropped(held);
        }
    }

    private @Nullable Settlement settlement(ActiveClaim held) {
        OutboxClaim claim = held.claim();
        if (!signals.isRunning() || !breaker.lets(held)) {
            return new Settlement.Released(claim.ref());
        }
        boolean unknown = claim.outcomeUnknown();
        if (policy.asksFirst(claim)) {
            boolean probe = held.isProbe();
            QueryOutcome answer = ask(held);
            if (answer == null) {
                return null;
            }
            Optional<Settlement> known = afterProbing(held, probe, true, asOutcome(answer))
                    .or(() -> policy.afterAsking(claim, answer, storeTime(held)));
            if (known.isPresent()) {
                return known.get();
            }
            unknown = false;
        }
        Optional<Settlement> unsent = policy.withoutSending(claim, unknown, storeTime(held));
        if (unsent.isPresent()) {
            return unsent.get();
        }
        boolean probe = held.isProbe();
        SendOutcome outcome = send(held);
        if (outcome == null) {
            return null;
        }
        Optional<Settlement> uncounted = afterProbing(held, probe, unknown, outcome);
        return uncounted.isPresent() ? uncounted.get() : policy.afterSending(claim, unknown, outcome, storeTime(held));
    }

    private Optional<Settlement> afterProbing(ActiveClaim held, boolean probe, boolean unknown, SendOutcome outcome) {
        return probe && !breaker.countsProbe(outcome)
                ? policy.afterProbing(held.claim(), unknown, outcome, storeTime(held))
                : Optional.empty();
    }

    private Instant storeTime(ActiveClaim held) {
        return held.storeTime(signals.now());
    }

    private @Nullable SendOutcome send(ActiveClaim held) {
        return call(held, false, entry -> sender.send(entry, timeout), Function.identity(), Function.identity());
    }

    private @Nullable QueryOutcome ask(ActiveClaim held) {
        return call(
                held,
                true,
                entry -> sender.query(entry, timeout),
                Attempts::asOutcome,
                unknown -> new QueryOutcome.StillUnknown(unknown.reason(), unknown.message()));
    }

    private interface Call<A> {
        @Nullable
        A call(OutboxEntry entry) throws Exception;
    }

    /** Returns the answer of the sender; null if it was not called because the claim is lost. */
    private <A> @Nullable A call(
            ActiveClaim held,
            boolean queried,
            Call<A> call,
            Function<? super A, ? extends SendOutcome> asOutcome,
            Function<SendOutcome.Unknown, ? extends A> fromUnknown) {
        long startedAt = signals.now();
        if (!startCall(held, startedAt)) {
            return null;
        }
        A answer;
        try {
            A answered = call.call(held.claim().entry());
            answer = answered == null
                    ? fromUnknown.apply(
                            new SendOutcome.Unknown(ReasonCode.INTERNAL_ERROR, "the sender returned nothing"))
                    : answered;
        } catch (Throwable e) { // no exception of a sender determines the outcome of the entry
            answer = fromUnknown.apply(unknown(held, e));
        } finally {
            endCall(held);
        }
        reportSent(held, asOutcome.apply(answer), queried, startedAt);
        return answer;
    }

    private boolean startCall(ActiveClaim held, long now) {
        if (!held.startCall(now, timeout.toNanos())) {
            return false;
        }
        if (signals.isCancelled()) {
            held.interruptCall(); // the cancelling thread may have interrupted the calls before this one started
        }
        events.publish(listener -> listener.sending(held.claim()));
        return true;
    }

    @SuppressWarnings(
            "ThreadInterruptedCheck") // no other thread interrupts this one now; the interrupt was meant for the call
    private static void endCall(ActiveClaim held) {
        held.endCall();
        Thread.interrupted();
    }

    /**
     * Returns the outcome of a call that threw. It contains only the type of the exception, whose message may contain
     * payload data.
     */
    private SendOutcome.Unknown unknown(ActiveClaim held, Throwable thrown) {
        if (held.hasTimedOut()) {
            return new SendOutcome.Unknown(ReasonCode.TIMEOUT, "no answer within " + DurationText.of(timeout));
        }
        if (signals.isCancelled()) {
            return new SendOutcome.Unknown(ReasonCode.OUTCOME_UNKNOWN, "interrupted because the worker was closed");
        }
        log.debug("{} made the sender throw {}", events.label(held.claim()), thrown.getClass());
        return new SendOutcome.Unknown(
                ReasonCode.INTERNAL_ERROR,
                "the sender threw " + thrown.getClass().getName());
    }

    private void reportSent(ActiveClaim held, SendOutcome outcome, boolean queried, long startedAt) {
        Duration took = Duration.ofNanos(signals.now() - startedAt);
        events.publish(listener -> listener.sent(held.claim(), outcome, queried, took));
        if (!signals.isCancelled()) { // a call that was interrupted says nothing about the receiver
            breaker.sent(held, outcome);
        }
    }

    private static SendOutcome asOutcome(QueryOutcome answer) {
        return switch (answer) {
            case QueryOutcome.Taken taken -> new SendOutcome.Succeeded(taken.result());
            case QueryOutcome.Refused refused -> new SendOutcome.Permanent(refused.reason(), refused.message());
            case QueryOutcome.NotThere notThere -> NOT_THERE;
            case QueryOutcome.StillUnknown still -> new SendOutcome.Unknown(still.reason(), still.message());
        };
    }
}
