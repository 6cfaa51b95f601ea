package dev.spream.outbox;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of one claim: whether it is sent, or asked for, and how it ends. Confined to a thread of its own. */
final class Attempt {
    private static final Logger log = LoggerFactory.getLogger(Attempt.class);

    /** What the sender says that it cannot be said with an outcome: it was asked, and has never seen the entry. */
    private static final SendOutcome NOT_THERE =
            new SendOutcome.Retryable(new ReasonCode("NOT_THERE"), "the receiver does not have it");

    private final WorkerContext context;
    private final AttemptPolicy policy;
    private final BreakerReports breaker;
    private final HeldClaim held;
    private final OutboxClaim claim;

    Attempt(WorkerContext context, AttemptPolicy policy, BreakerReports breaker, HeldClaim held) {
        this.context = context;
        this.policy = policy;
        this.breaker = breaker;
        this.held = held;
        this.claim = held.claim();
    }

    /** How the claim ends; empty if it is not the worker's any more. */
    Optional<Settlement> run() {
        held.startAttempt();
        try {
            return Optional.ofNullable(settlement()).filter(settlement -> held.startSettling());
        } finally {
            breaker.dropped(held);
        }
    }

    private @Nullable Settlement settlement() {
        if (!context.stop().isRunning() || !breaker.lets(held)) {
            return new Settlement.Released(claim.ref());
        }
        boolean unknown = claim.outcomeUnknown();
        if (policy.asksFirst(claim)) {
            boolean probe = held.isProbe();
            QueryOutcome answer = ask();
            if (answer == null) {
                return null;
            }
            Optional<Settlement> known = afterProbing(probe, true, asOutcome(answer))
                    .or(() -> policy.afterAsking(claim, answer, storeTime()));
            if (known.isPresent()) {
                return known.get();
            }
            unknown = false;
        }
        Optional<Settlement> unsent = policy.withoutSending(claim, unknown, storeTime());
        if (unsent.isPresent()) {
            return unsent.get();
        }
        boolean probe = held.isProbe();
        SendOutcome outcome = send();
        if (outcome == null) {
            return null;
        }
        Optional<Settlement> uncounted = afterProbing(probe, unknown, outcome);
        return uncounted.isPresent() ? uncounted.get() : policy.afterSending(claim, unknown, outcome, storeTime());
    }

    private Optional<Settlement> afterProbing(boolean probe, boolean unknown, SendOutcome outcome) {
        return probe && !breaker.countsProbe(outcome)
                ? policy.afterProbing(claim, unknown, outcome, storeTime())
                : Optional.empty();
    }

    private Instant storeTime() {
        return held.storeTime(context.now());
    }

    /** What came of sending it; null if it was not sent, since the claim is lost. */
    private @Nullable SendOutcome send() {
        long startedAt = context.now();
        Duration timeout = context.options().sendTimeout();
        if (!startCall(startedAt, timeout)) {
            return null;
        }
        SendOutcome outcome;
        try {
            outcome = context.sender().send(claim.entry(), timeout);
            if (outcome == null) {
                outcome = new SendOutcome.Unknown(ReasonCode.INTERNAL_ERROR, "the sender returned nothing");
            }
        } catch (Throwable e) { // whatever a sender throws says nothing of what became of the entry
            outcome = unknown(e);
        } finally {
            endCall();
        }
        tellSent(outcome, false, startedAt);
        return outcome;
    }

    /** What the receiver knows of it; null if it was not asked, since the claim is lost. */
    private @Nullable QueryOutcome ask() {
        long startedAt = context.now();
        Duration timeout = context.options().sendTimeout();
        if (!startCall(startedAt, timeout)) {
            return null;
        }
        QueryOutcome answer;
        try {
            answer = context.sender().query(claim.entry(), timeout);
            if (answer == null) {
                answer = new QueryOutcome.StillUnknown(ReasonCode.INTERNAL_ERROR, "the sender returned nothing");
            }
        } catch (Throwable e) {
            SendOutcome.Unknown unknown = unknown(e);
            answer = new QueryOutcome.StillUnknown(unknown.reason(), unknown.message());
        } finally {
            endCall();
        }
        tellSent(asOutcome(answer), true, startedAt);
        return answer;
    }

    private boolean startCall(long now, Duration timeout) {
        if (!held.startCall(now, timeout.toNanos())) {
            return false;
        }
        if (context.stop().isCancelled()) {
            held.interruptCall(); // who cancelled may have looked before this call had started
        }
        context.listener().tell(listener -> listener.sending(claim));
        return true;
    }

    @SuppressWarnings(
            "ThreadInterruptedCheck") // nobody interrupts this thread any more, and the interrupt was of the call
    private void endCall() {
        held.endCall();
        Thread.interrupted();
    }

    /** An exception tells nothing but its type: its message may hold a payload. */
    private SendOutcome.Unknown unknown(Throwable thrown) {
        if (held.hasTimedOut()) {
            return new SendOutcome.Unknown(
                    ReasonCode.TIMEOUT,
                    "no answer within " + DurationText.of(context.options().sendTimeout()));
        }
        if (context.stop().isCancelled()) {
            return new SendOutcome.Unknown(ReasonCode.OUTCOME_UNKNOWN, "interrupted, since the worker was closed");
        }
        log.debug("{} made the sender throw {}", EntryLabel.of(context.owner(), claim), thrown.getClass());
        return new SendOutcome.Unknown(
                ReasonCode.INTERNAL_ERROR,
                "the sender threw " + thrown.getClass().getName());
    }

    private void tellSent(SendOutcome outcome, boolean queried, long startedAt) {
        Duration took = Duration.ofNanos(context.now() - startedAt);
        context.listener().tell(listener -> listener.sent(claim, outcome, queried, took));
        if (context.stop().isCancelled()) {
            return; // an interrupt says nothing of the receiver
        }
        breaker.sent(held, outcome);
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
