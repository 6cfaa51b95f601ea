package dev.spream.outbox.worker;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of a sender in an {@link OutboxWorker}. Immutable; {@link Settings} documents each option, its default, and
 * when to change it.
 */
public record OutboxSenderOptions(
        int concurrency,
        OptionalInt rate,
        Duration sendTimeout,
        int maxAttempts,
        Backoff backoff,
        Optional<Duration> maxAge,
        OrderedFailurePolicy orderedFailure,
        UnknownFailure unknownFailure,
        int breakerFailures,
        Duration breakerPause) {
    public static final int MAX_CONCURRENCY = 10_000;
    public static final int MAX_RATE = 1_000_000;
    public static final int MAX_MAX_ATTEMPTS = 1_000_000;
    public static final int MAX_BREAKER_FAILURES = 1_000_000;
    public static final Duration MIN_SEND_TIMEOUT = Duration.ofMillis(1);
    public static final Duration MAX_SEND_TIMEOUT = Duration.ofHours(1);
    public static final Duration MIN_MAX_AGE = Duration.ofMillis(1);
    public static final Duration MAX_MAX_AGE = Duration.ofDays(3650);
    public static final Duration MIN_BREAKER_PAUSE = Duration.ofMillis(1);
    public static final Duration MAX_BREAKER_PAUSE = Duration.ofHours(1);

    public OutboxSenderOptions {
        requireBetween("concurrency", concurrency, 1, MAX_CONCURRENCY);
        rate.ifPresent(perSecond -> requireBetween("rate", perSecond, 1, MAX_RATE));
        requireBetween("sendTimeout", sendTimeout, MIN_SEND_TIMEOUT, MAX_SEND_TIMEOUT);
        requireBetween("maxAttempts", maxAttempts, 1, MAX_MAX_ATTEMPTS);
        requireNonNull(backoff, "backoff");
        maxAge.ifPresent(age -> requireBetween("maxAge", age, MIN_MAX_AGE, MAX_MAX_AGE));
        requireNonNull(orderedFailure, "orderedFailure");
        requireNonNull(unknownFailure, "unknownFailure");
        requireBetween("breakerFailures", breakerFailures, 0, MAX_BREAKER_FAILURES);
        requireBetween("breakerPause", breakerPause, MIN_BREAKER_PAUSE, MAX_BREAKER_PAUSE);
    }

    public static OutboxSenderOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    public Builder toBuilder() {
        Builder builder = builder()
                .concurrency(concurrency)
                .sendTimeout(sendTimeout)
                .maxAttempts(maxAttempts)
                .backoff(backoff)
                .orderedFailure(orderedFailure)
                .unknownFailure(unknownFailure)
                .breakerFailures(breakerFailures)
                .breakerPause(breakerPause);
        rate.ifPresent(builder::rate);
        maxAge.ifPresent(builder::maxAge);
        return builder;
    }

    /**
     * The settings of a sender; every one has a safe default. Confined to one thread.
     *
     * @param <B> the builder itself
     */
    public abstract static sealed class Settings<B extends Settings<B>> permits Builder, OutboxWorkerOptions.Builder {
        private int concurrency = 4;
        private OptionalInt rate = OptionalInt.empty();
        private Duration sendTimeout = Duration.ofMillis(2_500);
        private int maxAttempts = 6;
        private Backoff backoff = Backoff.DEFAULT;
        private Optional<Duration> maxAge = Optional.empty();
        private OrderedFailurePolicy orderedFailure = OrderedFailurePolicy.ABORT;
        private UnknownFailure unknownFailure = UnknownFailure.PARK;
        private int breakerFailures = 20;
        private Duration breakerPause = Duration.ofSeconds(10);

        Settings() {}

        /** Sets the number of entries that are sent at the same time; 4 by default, 1 to {@value #MAX_CONCURRENCY}. */
        public final B concurrency(int concurrency) {
            this.concurrency = concurrency;
            return self();
        }

        /**
         * Sets the maximum number of attempts that begin in a second, spread evenly; unlimited by default. Entries that wait
         * for their turn are claimed, and hold their place in the concurrency.
         */
        public final B rate(int perSecond) {
            this.rate = OptionalInt.of(perSecond);
            return self();
        }

        /**
         * Sets the maximum duration of an attempt, after which it is interrupted and its outcome is unknown; 2.5
         * seconds by default.
         */
        public final B sendTimeout(Duration sendTimeout) {
            this.sendTimeout = sendTimeout;
            return self();
        }

        /** Sets the maximum number of attempts before an entry is aborted; 6 by default, the first included. */
        public final B maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return self();
        }

        /** Sets the delays between the attempts of an entry; {@link Backoff#DEFAULT} by default. */
        public final B backoff(Backoff backoff) {
            this.backoff = backoff;
            return self();
        }

        /**
         * Sets the age, since it was enqueued, up to which an entry is retried; unlimited by default. The first attempt
         * is always made.
         */
        public final B maxAge(Duration maxAge) {
            this.maxAge = Optional.of(maxAge);
            return self();
        }

        /**
         * Sets the handling of an entry with an ordering key that fails permanently; by default it is aborted, and the
         * next entry of its key is sent.
         */
        public final B orderedFailure(OrderedFailurePolicy orderedFailure) {
            this.orderedFailure = orderedFailure;
            return self();
        }

        /**
         * Sets the handling of an entry that has no attempts or no time left and may have reached an idempotent
         * receiver; by default it is parked for an operator. If it is aborted, its client gets a failure although the
         * receiver may have accepted it.
         */
        public final B unknownFailure(UnknownFailure unknownFailure) {
            this.unknownFailure = unknownFailure;
            return self();
        }

        /**
         * Sets the number of consecutive attempts, of any entries, that must fail to reach the receiver for the circuit
         * breaker to open; 20 by default, 0 for never. While it is open nothing is claimed for this sender, so that only few entries
         * lose attempts to a receiver that is down or rejects the credentials. The segments of ordering keys are
         * released meanwhile to other workers, which may reach the receivers, if the breakers of all senders are open.
         */
        public final B breakerFailures(int breakerFailures) {
            this.breakerFailures = breakerFailures;
            return self();
        }

        /**
         * Sets the time without claims while the circuit breaker is open, before one entry is sent as a probe; 10
         * seconds by default. A probe that does not reach the receiver does not count as an attempt; the entry waits
         * for its backoff, and the next probe is another entry.
         */
        public final B breakerPause(Duration breakerPause) {
            this.breakerPause = breakerPause;
            return self();
        }

        @SuppressWarnings("unchecked") // the permitted subclasses name themselves
        private B self() {
            return (B) this;
        }

        final OutboxSenderOptions senderOptions() {
            return new OutboxSenderOptions(
                    concurrency,
                    rate,
                    sendTimeout,
                    maxAttempts,
                    backoff,
                    maxAge,
                    orderedFailure,
                    unknownFailure,
                    breakerFailures,
                    breakerPause);
        }
    }

    /** A builder of the options of one sender. Confined to one thread. */
    public static final class Builder extends Settings<Builder> {
        private Builder() {}

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException if an option is out of its range
         */
        public OutboxSenderOptions build() {
            return senderOptions();
        }
    }
}
