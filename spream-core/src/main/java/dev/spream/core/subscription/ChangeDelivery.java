package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one change through the consumer and, where it is refused, through the decisions of the error handler, until it is
 * settled or has to be left. Runs on the thread of the change's lane, and holds its place in it all the time.
 */
final class ChangeDelivery {
    private static final Logger log = LoggerFactory.getLogger(ChangeDelivery.class);

    /** What the lane says while a change is on its way. */
    interface Lane {
        /** Whether the change must be left, unsettled, because the lane stops. */
        boolean isStopping();

        /** Whether the consumer was interrupted, so that what it threw is not a failure. */
        boolean isCancelled();

        /** Waits before a retry; returns early when the lane stops. */
        void pause(Duration delay) throws InterruptedException;
    }

    private final EngineContext context;
    private final Consumer consumer;
    private final ParkedKeys parkedKeys;

    ChangeDelivery(EngineContext context, Consumer consumer, ParkedKeys parkedKeys) {
        this.context = context;
        this.consumer = consumer;
        this.parkedKeys = parkedKeys;
    }

    /** Whether the change is settled; if not, it was left and comes again. */
    boolean deliver(HeldPartition partition, DataChangeRecord change, Lane lane) throws InterruptedException {
        if (isParked(change) && !lane.isStopping() && partition.isHeld()) {
            setAside(new DeadLetter(
                    DeadLetter.Reason.BEHIND_PARKED, partition.token(), change, now(), Optional.empty()));
            parkedKeys.park(RecordKey.of(change)); // its other keys as well: what follows on them must not overtake it
            settled(partition, change, Outcome.DEAD_LETTERED, Duration.ZERO);
            return true;
        }
        @Nullable Instant firstFailureAt = null;
        for (int attempt = 1; !lane.isStopping() && partition.isHeld(); attempt++) {
            long startedAt = context.time().nanoTime();
            Throwable thrown = attempt(partition, change, attempt);
            Duration consumeTime = Duration.ofNanos(context.time().nanoTime() - startedAt);
            if (thrown == null) {
                settled(partition, change, Outcome.CONSUMED, consumeTime);
                return true;
            }
            if (lane.isCancelled()) {
                return false;
            }
            Thread.interrupted(); // what user code left behind must not hit the handler, the sink or the next attempt
            Instant failedAt = now();
            firstFailureAt = firstFailureAt == null ? failedAt : firstFailureAt;
            DeliveryFailure failure =
                    new DeliveryFailure(partition.token(), change, attempt, firstFailureAt, failedAt, thrown);
            ErrorDecision decision = decide(failure);
            context.listener().tell(listener -> listener.deliveryFailed(failure, decision));
            switch (decision) {
                case ErrorDecision.Retry retry -> {
                    log.warn(
                            "[{}] consumer failed on {} (attempt {}); trying again in {}",
                            context.label(partition.token()),
                            change.identity(),
                            attempt,
                            retry.delay(),
                            thrown);
                    lane.pause(retry.delay());
                }
                case ErrorDecision.Skip skip -> {
                    log.warn(
                            "[{}] consumer failed on {} after {} attempts; the change is skipped, as decided",
                            context.label(partition.token()),
                            change.identity(),
                            attempt,
                            thrown);
                    settled(partition, change, Outcome.SKIPPED, consumeTime);
                    return true;
                }
                case ErrorDecision.DeadLetter deadLetter -> {
                    setAside(new DeadLetter(
                            DeadLetter.Reason.FAILED, partition.token(), change, failedAt, Optional.of(failure)));
                    settled(partition, change, Outcome.DEAD_LETTERED, consumeTime);
                    return true;
                }
                case ErrorDecision.ParkKey parkKey -> {
                    setAside(new DeadLetter(
                            DeadLetter.Reason.PARKED, partition.token(), change, failedAt, Optional.of(failure)));
                    parkedKeys.park(RecordKey.of(change));
                    settled(partition, change, Outcome.DEAD_LETTERED, consumeTime);
                    return true;
                }
                case ErrorDecision.Stop stop -> throw stopped(partition, failure);
            }
        }
        return false;
    }

    private @Nullable Throwable attempt(HeldPartition partition, DataChangeRecord change, int attempt) {
        context.listener().tell(listener -> listener.delivering(partition.token(), change, attempt));
        try {
            consumer.consume(
                    change, new Delivery(partition.token(), partition.lease().epoch(), attempt, Optional.empty()));
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    private ErrorDecision decide(DeliveryFailure failure) {
        try {
            return requireNonNull(context.options().errorHandler().onFailure(failure), "the error handler's decision");
        } catch (Throwable t) {
            if (!t.equals(failure.cause())) {
                t.addSuppressed(failure.cause());
            }
            throw new ConsumerException(
                    "[%s] the error handler failed on %s; the subscription stops, and the change comes again after a restart"
                            .formatted(
                                    context.label(failure.partition()),
                                    failure.change().identity()),
                    t);
        }
    }

    private boolean isParked(DataChangeRecord change) {
        return !parkedKeys.isEmpty() && parkedKeys.containsAny(RecordKey.of(change));
    }

    private void setAside(DeadLetter letter) {
        DeadLetterSink sink = context.options()
                .deadLetterSink()
                .orElseThrow(() -> new SubscriptionException(
                        "[%s] the error handler decided to set %s aside, and no dead letter sink is configured; the subscription stops, and the change comes again after a restart"
                                .formatted(
                                        context.label(letter.partition()),
                                        letter.change().identity()),
                        letter.failure().map(DeliveryFailure::cause).orElse(null)));
        try {
            sink.accept(letter);
        } catch (Throwable t) {
            throw new ConsumerException(
                    "[%s] the dead letter sink failed on %s; the subscription stops, and the change comes again after a restart"
                            .formatted(
                                    context.label(letter.partition()),
                                    letter.change().identity()),
                    t);
        }
    }

    private void settled(HeldPartition partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        context.listener().tell(listener -> listener.settled(partition.token(), change, outcome, consumeTime));
    }

    private ConsumerException stopped(HeldPartition partition, DeliveryFailure failure) {
        return new ConsumerException(
                "[%s] consumer failed on %s after %d attempts; the watermark stays at %s; the subscription stops, and changes after that point come again after a restart"
                        .formatted(
                                context.label(partition.token()),
                                failure.change().identity(),
                                failure.attempt(),
                                partition.tracker().watermark()),
                failure.cause());
    }

    private Instant now() {
        return context.time().instant();
    }
}
