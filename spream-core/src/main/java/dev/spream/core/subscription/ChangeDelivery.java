package dev.spream.core.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.UnreadableKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of one change: through the consumer and, after failures, the decisions of the error handler, until the
 * change is settled or must be left. Meanwhile it keeps its thread, and the change its place in its lanes.
 */
record ChangeDelivery(
        EngineContext context,
        Consumer consumer,
        ConsumerCalls calls,
        DeadLetterCalls deadLetters,
        AttemptLog attempts) {

    /**
     * Delivers a record, or continues with one whose last failure awaits a decision. A record not settled afterwards
     * was left, and is delivered again.
     */
    void deliver(HeldPartition partition, InflightRecord record, DeliveryControl control) throws InterruptedException {
        while (!control.isStopping() && partition.isHeld()) {
            Throwable thrown = record.takeUnhandledFailure();
            if (thrown == null && isKeptBehindParked(partition, record, control)) {
                return;
            }
            Duration consumeTime = Duration.ZERO;
            if (thrown == null) {
                deadLetters.delivering(partition, record.change());
                if (control.isStopping() || !partition.isHeld()) {
                    return;
                }
                long startedAt = context.time().nanoTime();
                thrown = attempt(partition, record);
                consumeTime = Duration.ofNanos(context.time().nanoTime() - startedAt);
            }
            if (thrown == null) {
                settle(partition, record, Outcome.CONSUMED, consumeTime, control);
                return;
            }
            Thread.interrupted(); // an interrupt left by user code must not hit the handler, the sink or a retry
            // Checked afterwards, so that the interrupt of a later cancel reaches the handler or the sink. A change
            // whose lease ended during the call is delivered again by the next owner.
            if (control.isCancelled() || !partition.isHeld()) {
                return;
            }
            Optional<Duration> retryDelay = judge(partition, record, thrown, consumeTime, control);
            if (retryDelay.isEmpty()) {
                return;
            }
            Thread.interrupted(); // nor may an interrupt left by the handler end the pause; a cancel ends it anyway
            control.pause(retryDelay.get());
        }
    }

    private boolean isKeptBehindParked(HeldPartition partition, InflightRecord record, DeliveryControl control)
            throws InterruptedException {
        if (!deadLetters.mayBeParked(record) || !deadLetters.keepBehindParked(partition, record)) {
            return false;
        }
        settle(partition, record, Outcome.DEAD_LETTERED, Duration.ZERO, control);
        return true;
    }

    /** Dead-letters a change that cannot be decoded; it is durable when this returns. */
    void keepUndecodable(HeldPartition partition, DataChangeRecord change, UndecodableRowException failure)
            throws InterruptedException {
        Instant now = context.time().instant();
        DeliveryFailure undecodable = new DeliveryFailure(partition.token(), change, 1, now, now, failure);
        deadLetters.keep(DeadLetter.Reason.FAILED, undecodable);
        attempts.undecodable(undecodable);
        context.listener()
                .publish(listener -> listener.settled(partition.token(), change, Outcome.DEAD_LETTERED, Duration.ZERO));
    }

    private @Nullable Throwable attempt(HeldPartition partition, InflightRecord record) {
        DataChangeRecord change = record.change();
        int attempt = record.nextAttempt();
        context.listener().publish(listener -> listener.delivering(partition.token(), change, attempt));
        return calls.call(
                partition.token(),
                change,
                deadline -> consumer.consume(change, calls.delivery(partition, attempt, deadline)));
    }

    /**
     * Carries out the decision of the error handler; returns the delay before the next attempt, or empty if the
     * record is settled.
     */
    private Optional<Duration> judge(
            HeldPartition partition,
            InflightRecord record,
            Throwable thrown,
            Duration consumeTime,
            DeliveryControl control)
            throws InterruptedException {
        Instant failedAt = context.time().instant();
        DeliveryFailure failure = new DeliveryFailure(
                partition.token(),
                record.change(),
                record.attempts(),
                record.countedAttempts(),
                record.firstFailureAt(failedAt),
                failedAt,
                thrown);
        Optional<UnreadableKeys> unreadable = UnreadableKeys.of(record.change());
        ErrorDecision decision = unreadable.isPresent() ? decideUnreadable(failure) : decide(failure);
        context.listener().publish(listener -> listener.deliveryFailed(failure, decision));
        clearInterrupt(control);
        switch (decision) {
            case ErrorDecision.Retry retry -> {
                if (!retry.counted()) {
                    record.doNotCount();
                }
                attempts.retried(failure, retry.delay());
                return Optional.of(retry.delay());
            }
            case ErrorDecision.Skip skip -> {
                attempts.skipped(failure);
                settle(partition, record, Outcome.SKIPPED, consumeTime, control);
            }
            case ErrorDecision.DeadLetter deadLetter -> {
                if (unreadable.isPresent()) {
                    deadLetters.keepUnreadable(unreadable.get(), failure);
                    attempts.unreadable(failure);
                } else {
                    deadLetters.keep(DeadLetter.Reason.FAILED, failure);
                    attempts.deadLettered(failure);
                }
                settle(partition, record, Outcome.DEAD_LETTERED, consumeTime, control);
            }
            case ErrorDecision.ParkKey parkKey -> {
                deadLetters.park(record, failure);
                attempts.parked(failure);
                settle(partition, record, Outcome.DEAD_LETTERED, consumeTime, control);
            }
            case ErrorDecision.Stop stop -> throw stopped(partition, failure);
        }
        return Optional.empty();
    }

    /** Clears an interrupt that the handler left, which must not hit the sink; that of a cancel is kept. */
    private static void clearInterrupt(DeliveryControl control) {
        if (Thread.interrupted() && control.isCancelled()) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns the decision on a change with unreadable keys. If rows that cannot be decoded are dead-lettered, so is
     * the change, at the first failure. It has no keys that could be parked.
     */
    private ErrorDecision decideUnreadable(DeliveryFailure failure) {
        if (context.options().decodingFailure() == DecodingFailure.DEAD_LETTER) {
            return new ErrorDecision.DeadLetter();
        }
        ErrorDecision decision = decide(failure);
        return decision instanceof ErrorDecision.ParkKey ? new ErrorDecision.DeadLetter() : decision;
    }

    private ErrorDecision decide(DeliveryFailure failure) {
        return calls.decide(
                failure, context.label(failure.partition()), failure.change().identity());
    }

    private void settle(
            HeldPartition partition,
            InflightRecord record,
            Outcome outcome,
            Duration consumeTime,
            DeliveryControl control) {
        context.listener()
                .publish(listener -> listener.settled(partition.token(), record.change(), outcome, consumeTime));
        control.settle(record);
    }

    private ConsumerException stopped(HeldPartition partition, DeliveryFailure failure) {
        return new ConsumerException(
                "[%s] consumer failed on %s after %s; the watermark stays at %s; the subscription stops, and changes after that point are delivered again after a restart"
                        .formatted(
                                context.label(partition.token()),
                                failure.change().identity(),
                                AttemptLog.attempts(failure.attempt()),
                                partition.tracker().watermark()),
                failure.cause());
    }
}
