package dev.spream.outbox.worker;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The options of an {@link OutboxWorker}; {@code sender} has those of senders that are added without options of their
 * own. Immutable; {@link Builder} documents each option, its default, and when to change it.
 */
public record OutboxWorkerOptions(
        String name,
        int batch,
        Duration pollInterval,
        Duration lease,
        OutboxSenderOptions sender,
        Duration entryRetention,
        Duration ledgerRetention,
        Duration auditRetention,
        List<OutboxListener> listeners) {
    public static final int MAX_BATCH = 10_000;
    public static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(1);
    public static final Duration MAX_POLL_INTERVAL = Duration.ofHours(1);
    public static final Duration MIN_LEASE = Duration.ofMillis(100);
    public static final Duration MAX_LEASE = Duration.ofDays(1);
    public static final Duration MAX_RETENTION = Duration.ofDays(3650);
    private static final long SHORTEST_SWEEP = TimeUnit.SECONDS.toNanos(1);
    private static final int POLLS_PER_SWEEP = 10;

    public OutboxWorkerOptions {
        OutboxOwner.of(name);
        requireBetween("batch", batch, 1, MAX_BATCH);
        requireBetween("pollInterval", pollInterval, MIN_POLL_INTERVAL, MAX_POLL_INTERVAL);
        requireBetween("lease", lease, MIN_LEASE, MAX_LEASE);
        requireNonNull(sender, "sender");
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

    /**
     * A builder of options; every option has a safe default. The settings of senders apply to those that are added
     * without options of their own. Confined to one thread.
     */
    public static final class Builder extends OutboxSenderOptions.Settings<Builder> {
        private String name = "spream";
        private int batch = 32;
        private Duration pollInterval = Duration.ofMillis(500);
        private Duration lease = Duration.ofMinutes(2);
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
                    batch,
                    pollInterval,
                    lease,
                    senderOptions(),
                    entryRetention,
                    ledgerRetention,
                    auditRetention,
                    listeners);
        }
    }
}
