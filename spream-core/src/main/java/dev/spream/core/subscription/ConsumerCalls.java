package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.internal.Bounds;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the consumer, and interrupts calls that exceed their time limit. Safe for use by many threads.
 *
 * <p>An interrupted call is waited for, however long it takes: it may still be processing its change, which must not
 * be delivered again meanwhile.
 */
final class ConsumerCalls {
    private static final Logger log = LoggerFactory.getLogger(ConsumerCalls.class);
    private static final int CHECKS_PER_TIMEOUT = 10;
    private static final Duration MIN_INTERVAL = Duration.ofMillis(1);
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(1);

    interface Body {
        void call(Optional<Instant> deadline) throws Exception;
    }

    private final EngineContext context;
    private final Supplier<Optional<Instant>> lowWatermark;
    private final Optional<Duration> timeout;
    private final Set<Call> open = ConcurrentHashMap.newKeySet();

    /** @param lowWatermark the low watermark of the subscription, as far as it is known */
    ConsumerCalls(EngineContext context, Supplier<Optional<Instant>> lowWatermark) {
        this.context = context;
        this.lowWatermark = lowWatermark;
        this.timeout = context.options().consumeTimeout();
    }

    /**
     * Calls the consumer, and returns its exception; null if there was none.
     *
     * @param first the change, or the first of several
     */
    @Nullable
    Throwable call(PartitionToken partition, DataChangeRecord first, Body body) {
        if (timeout.isEmpty()) {
            return thrownBy(body, Optional.empty());
        }
        Call call = new Call(
                Thread.currentThread(), partition, first, context.time().nanoTime());
        open.add(call);
        Throwable thrown = thrownBy(body, Optional.of(context.time().instant().plus(timeout.get())));
        open.remove(call);
        if (!call.endedInTime()) {
            Thread.interrupted();
            return thrown == null ? null : timedOut(thrown);
        }
        return thrown;
    }

    /**
     * Asks the error handler for a decision.
     *
     * @param label the partition or the stream
     * @param failed the change or the transaction that failed
     * @throws ConsumerException if the handler fails
     */
    ErrorDecision decide(DeliveryFailure failure, String label, Object failed) {
        try {
            return requireNonNull(
                    context.userCalls()
                            .call(
                                    "the error handler",
                                    () -> context.options().errorHandler().onFailure(failure)),
                    "the error handler's decision");
        } catch (Throwable t) {
            if (!t.equals(failure.cause())) {
                t.addSuppressed(failure.cause());
            }
            throw new ConsumerException(
                    "[%s] the error handler failed on %s; the subscription stops, and it is delivered again after a restart"
                            .formatted(label, failed),
                    t);
        }
    }

    Delivery delivery(HeldPartition partition, int attempt, Optional<Instant> deadline) {
        return new Delivery(partition.token(), partition.lease().epoch(), attempt, deadline, lowWatermark.get());
    }

    private static @Nullable Throwable thrownBy(Body body, Optional<Instant> deadline) {
        try {
            body.call(deadline);
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    private TimeoutException timedOut(Throwable thrown) {
        TimeoutException timedOut = new TimeoutException(
                "the consumer was interrupted after " + DurationText.of(timeout.orElseThrow()) + ", and threw");
        timedOut.initCause(thrown);
        return timedOut;
    }

    /** Returns the interval of checks for overdue calls; empty if calls have no limit. */
    Optional<Duration> interval() {
        return timeout.map(limit -> Bounds.clamp(limit.dividedBy(CHECKS_PER_TIMEOUT), MIN_INTERVAL, MAX_INTERVAL));
    }

    void interruptOverdue() {
        long limit = timeout.orElseThrow().toNanos();
        for (Call call : open) {
            Duration elapsed = Duration.ofNanos(context.time().nanoTime() - call.startedAt);
            if (elapsed.toNanos() >= limit && call.interrupt()) {
                log.warn(
                        "[{}] consumer took longer than {} on {}; the call was interrupted",
                        context.label(call.partition),
                        DurationText.of(timeout.orElseThrow()),
                        call.first.identity());
                context.listener().publish(listener -> listener.consumeTimedOut(call.partition, call.first, elapsed));
            } else if (elapsed.toNanos() >= 2 * limit && call.reportStuck()) {
                log.error(
                        "[{}] consumer has not returned from the interrupted call on {} after {}; until it does, neither the change, the changes that wait for it, nor the partition's watermark advance. Make the consumer end when it is interrupted, or restart the process",
                        context.label(call.partition),
                        call.first.identity(),
                        DurationText.of(elapsed));
            }
        }
    }

    /** A running call. Its monitor ensures that an interrupt hits this call and not what its thread does next. */
    private static final class Call {
        private final Thread thread;
        private final PartitionToken partition;
        private final DataChangeRecord first;
        private final long startedAt;

        // Guarded by this.
        private boolean interrupted;
        private boolean ended;
        private boolean reportedStuck;

        Call(Thread thread, PartitionToken partition, DataChangeRecord first, long startedAt) {
            this.thread = thread;
            this.partition = partition;
            this.first = first;
            this.startedAt = startedAt;
        }

        synchronized boolean interrupt() {
            if (ended || interrupted) {
                return false;
            }
            interrupted = true;
            thread.interrupt();
            return true;
        }

        synchronized boolean reportStuck() {
            boolean stuck = !ended && !reportedStuck;
            reportedStuck |= stuck;
            return stuck;
        }

        synchronized boolean endedInTime() {
            ended = true;
            return !interrupted;
        }
    }
}
