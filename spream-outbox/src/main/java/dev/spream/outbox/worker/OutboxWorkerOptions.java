package dev.spream.outbox.worker;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The options of an {@link OutboxWorker}. Immutable; {@link Builder} documents each option, its default, and when to
 * change it.
 */
public record OutboxWorkerOptions(
        String name,
        int concurrency,
        int batch,
        Duration pollInterval,
        Duration lease,
        Duration sendTimeout,
        int maxAttempts,
        Backoff backoff,
        Optional<Duration> maxAge,
        OrderedFailurePolicy orderedFailure,
        UnknownFailure unknownFailure,
        int breakerFailures,
        Duration breakerPause,
        Duration entryRetention,
        Duration ledgerRetention,
        Duration auditRetention,
        List<OutboxListener> listeners) {
    public static final int MAX_CONCURRENCY = 10_000;
    public static final int MAX_BATCH = 10_000;
    public static final int MAX_MAX_ATTEMPTS = 1_000_000;
    public static final int MAX_BREAKER_FAILURES = 1_000_000;
    public static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(1);
    public static final Duration MAX_POLL_INTERVAL = Duration.ofHours(1);
    public static final Duration MIN_LEASE = Duration.ofMillis(100);
    public static final Duration MAX_LEASE = Duration.ofDays(1);
    public static final Duration MIN_SEND_TIMEOUT = Duration.ofMillis(1);
    public static final Duration MAX_SEND_TIMEOUT = Duration.ofHours(1);
    public static final Duration MIN_MAX_AGE = Duration.ofMillis(1);
    public static final Duration MAX_MAX_AGE = Duration.ofDays(3650);
    public static final Duration MIN_BREAKER_PAUSE = Duration.ofMillis(1);
    public static final Duration MAX_BREAKER_PAUSE = Duration.ofHours(1);
    public static final Duration MAX_RETENTION = Duration.ofDays(3650);
    private static final long SHORTEST_SWEEP = TimeUnit.SECONDS.toNanos(1);
    private static final int POLLS_PER_SWEEP = 10;

    public OutboxWorkerOptions {
        OutboxOwner.of(name);
        requireBetween("concurrency", concurrency, 1, MAX_CONCURRENCY);
        requireBetween("batch", batch, 1, MAX_BATCH);
        requireBetween("pollInterval", pollInterval, MIN_POLL_INTERVAL, MAX_POLL_INTERVAL);
        requireBetween("lease", lease, MIN_LEASE, MAX_LEASE);
        requireBetween("sendTimeout", sendTimeout, MIN_SEND_TIMEOUT, MAX_SEND_TIMEOUT);
        requireBetween("maxAttempts", maxAttempts, 1, MAX_MAX_ATTEMPTS);
        requireNonNull(backoff, "backoff");
        maxAge.ifPresent(age -> requireBetween("maxAge", age, MIN_MAX_AGE, MAX_MAX_AGE));
        requireNonNull(orderedFailure, "orderedFailure");
        requireNonNull(unknownFailure, "unknownFailure");
        requireBetween("breakerFailures", breakerFailures, 0, MAX_BREAKER_FAILURES);
        requireBetween("breakerPause", breakerPause, MIN_BREAKER_PAUSE, MAX_BREAKER_PAUSE);
        requireBetween("entryRetention", entryRetention, Duration.ZERO, MAX_RETENTION);
        requireBetween("ledgerRetention", ledgerRetention, Duration.ZERO, MAX_RETENTION);
        requireBetween("auditRetention", auditRetention, Duration.ZERO, MAX_RETENTION);
        listeners = List.copyOf(listeners);
    }

    public static OutboxWorkerOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the interval of the sweeps for entries that polls do not find, in nanoseconds. */
    long sweepNanos() {
        return Math.max(SHORTEST_SWEEP, POLLS_PER_SWEEP * pollInterval.toNanos());
    }

    String threadName(String role) {
        return "spream-outbox-" + name + "-" + role;
    }

    /** A builder of options; every option has a safe default. Confined to one thread. */
    public static final class Builder {
        private String name = "spream";
        private int concurrency = 4;
        private int batch = 32;
        private Duration pollInterval = Duration.ofMillis(500);
        private Duration lease = Duration.ofMinutes(2);
        private Duration sendTimeout = Duration.ofMillis(2_500);
        private int maxAttempts = 6;
        private Backoff backoff = Backoff.DEFAULT;
        private Optional<Duration> maxAge = Optional.empty();
        private OrderedFailurePolicy orderedFailure = OrderedFailurePolicy.ABORT;
        private UnknownFailure unknownFailure = UnknownFailure.PARK;
        private int breakerFailures = 20;
        private Duration breakerPause = Duration.ofSeconds(10);
        private Duration entryRetention = Duration.ofDays(7);
        private Duration ledgerRetention = Duration.ofDays(30);
        private Duration auditRetention = Duration.ofDays(90);
        private final List<OutboxListener> listeners = new ArrayList<>();

        private Builder() {}

        /**
         * Sets the name of the worker for operators, such as the host name; {@code spream} by default. It need not be
         * unique.
         */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /** Sets the number of entries that are sent at the same time; 4 by default, 1 to {@value #MAX_CONCURRENCY}. */
        public Builder concurrency(int concurrency) {
            this.concurrency = concurrency;
            return this;
        }

        /**
         * Sets the maximum number of entries that one statement claims; 32 by default, 1 to {@value #MAX_BATCH}. No
         * more entries are claimed than can be sent until the next claim.
         */
        public Builder batch(int batch) {
            this.batch = batch;
            return this;
        }

        /** Sets the pause between polls while there is no work and no notification; half a second by default. */
        public Builder pollInterval(Duration pollInterval) {
            this.pollInterval = pollInterval;
            return this;
        }

        /**
         * Sets the time after which the entries of a worker that stopped renewing its leases can be claimed by others;
         * 120 seconds by default. A worker renews four times in each lease.
         */
        public Builder lease(Duration lease) {
            this.lease = lease;
            return this;
        }

        /**
         * Sets the maximum duration of an attempt, after which it is interrupted and its outcome is unknown; 2.5
         * seconds by default.
         */
        public Builder sendTimeout(Duration sendTimeout) {
            this.sendTimeout = sendTimeout;
            return this;
        }

        /** Sets the maximum number of attempts before an entry is aborted; 6 by default, the first included. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** Sets the delays between the attempts of an entry; {@link Backoff#DEFAULT} by default. */
        public Builder backoff(Backoff backoff) {
            this.backoff = backoff;
            return this;
        }

        /**
         * Sets the age, since it was enqueued, up to which an entry is retried; unlimited by default. The first attempt
         * is always made.
         */
        public Builder maxAge(Duration maxAge) {
            this.maxAge = Optional.of(maxAge);
            return this;
        }

        /**
         * Sets the handling of an entry with an ordering key that fails permanently; by default it is aborted, and the
         * next entry of its key is sent.
         */
        public Builder orderedFailure(OrderedFailurePolicy orderedFailure) {
            this.orderedFailure = orderedFailure;
            return this;
        }

        /**
         * Sets the handling of an entry that has no attempts or no time left and may have reached an idempotent
         * receiver; by default it is parked for an operator. If it is aborted, its client gets a failure although the
         * receiver may have accepted it.
         */
        public Builder unknownFailure(UnknownFailure unknownFailure) {
            this.unknownFailure = unknownFailure;
            return this;
        }

        /**
         * Sets the number of consecutive attempts, of any entries, that must fail to reach the receiver for the circuit
         * breaker to open; 20 by default, 0 for never. While it is open nothing is claimed, so that only few entries
         * lose attempts to a receiver that is down or rejects the credentials. The segments of ordering keys are
         * released meanwhile to other workers, which may reach the receiver.
         */
        public Builder breakerFailures(int breakerFailures) {
            this.breakerFailures = breakerFailures;
            return this;
        }

        /**
         * Sets the time without claims while the circuit breaker is open, before one entry is sent as a probe; 10
         * seconds by default. A probe that does not reach the receiver does not count as an attempt; the entry waits
         * for its backoff, and the next probe is another entry.
         */
        public Builder breakerPause(Duration breakerPause) {
            this.breakerPause = breakerPause;
            return this;
        }

        /**
         * Sets the time that an entry is kept after it succeeded or was aborted; 7 days by default, zero for ever.
         * Unsettled entries, including parked ones, are always kept.
         */
        public Builder entryRetention(Duration entryRetention) {
            this.entryRetention = entryRetention;
            return this;
        }

        /**
         * Sets the time that the ledger keeps a request after it was settled, and at least as long as its entry; 30
         * days by default, zero for ever. A request that a client repeats later is processed again, so this time must
         * exceed the period in which clients repeat requests.
         */
        public Builder ledgerRetention(Duration ledgerRetention) {
            this.ledgerRetention = ledgerRetention;
            return this;
        }

        /** Sets the time that audit rows of operator actions are kept; 90 days by default, zero for ever. */
        public Builder auditRetention(Duration auditRetention) {
            this.auditRetention = auditRetention;
            return this;
        }

        /** Adds a listener for the worker's events. */
        public Builder listener(OutboxListener listener) {
            listeners.add(requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException if an option is out of its range
         */
        public OutboxWorkerOptions build() {
            return new OutboxWorkerOptions(
                    name,
                    concurrency,
                    batch,
                    pollInterval,
                    lease,
                    sendTimeout,
                    maxAttempts,
                    backoff,
                    maxAge,
                    orderedFailure,
                    unknownFailure,
                    breakerFailures,
                    breakerPause,
                    entryRetention,
                    ledgerRetention,
                    auditRetention,
                    listeners);
        }
    }
}
