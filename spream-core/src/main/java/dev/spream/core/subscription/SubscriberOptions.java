package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a {@link Subscriber} works. Immutable; {@link Builder} says what each option means and when to change it.
 */
public record SubscriberOptions(
        Optional<Instant> startTimestamp,
        Optional<Instant> endTimestamp,
        Duration heartbeatInterval,
        int missedHeartbeats,
        int maxInflight,
        ErrorHandler errorHandler,
        Optional<DeadLetterSink> deadLetterSink,
        Duration watermarkInterval,
        Duration partitionDiscoveryInterval,
        Duration leaseTime,
        Duration drainTimeout,
        Duration finishedRetention,
        Optional<WorkerId> worker,
        List<SubscriptionListener> listeners) {
    /** Spanner takes heartbeats from 100 ms; its documentation promises them from one second. */
    public static final Duration MIN_HEARTBEAT_INTERVAL = Duration.ofMillis(100);

    public static final Duration MAX_HEARTBEAT_INTERVAL = Duration.ofMinutes(5);
    public static final int MAX_MAX_INFLIGHT = 1_000;
    private static final int MAX_MISSED_HEARTBEATS = 1_000;
    private static final Duration FIRST_ROW_TIMEOUT = Duration.ofSeconds(10);

    public SubscriberOptions {
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        requireBetween("heartbeatInterval", heartbeatInterval, MIN_HEARTBEAT_INTERVAL, MAX_HEARTBEAT_INTERVAL);
        if (missedHeartbeats < 2 || missedHeartbeats > MAX_MISSED_HEARTBEATS) {
            throw new IllegalArgumentException(
                    "missedHeartbeats is %d, must be 2 to %d".formatted(missedHeartbeats, MAX_MISSED_HEARTBEATS));
        }
        if (maxInflight < 1 || maxInflight > MAX_MAX_INFLIGHT) {
            throw new IllegalArgumentException(
                    "maxInflight is %d, must be 1 to %d".formatted(maxInflight, MAX_MAX_INFLIGHT));
        }
        requireNonNull(errorHandler, "errorHandler");
        requireNonNull(deadLetterSink, "deadLetterSink");
        requireBetween("watermarkInterval", watermarkInterval, Duration.ofMillis(1), Duration.ofMinutes(10));
        requireBetween(
                "partitionDiscoveryInterval", partitionDiscoveryInterval, Duration.ofMillis(1), Duration.ofMinutes(10));
        requireBetween("leaseTime", leaseTime, Duration.ofMillis(100), Duration.ofHours(1));
        requireBetween("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofHours(1));
        requireBetween("finishedRetention", finishedRetention, Duration.ZERO, Duration.ofDays(365));
        requireNonNull(worker, "worker");
        listeners = List.copyOf(listeners);
        if (startTimestamp.isPresent()
                && endTimestamp.isPresent()
                && endTimestamp.get().isBefore(startTimestamp.get())) {
            throw new IllegalArgumentException(
                    "endTimestamp %s is before startTimestamp %s".formatted(endTimestamp.get(), startTimestamp.get()));
        }
    }

    private static void requireBetween(String field, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("%s is %s, must be %s to %s".formatted(field, value, min, max));
        }
    }

    /**
     * How long a stream may show no life before it is cancelled and queried again. Before its first row it also has to be set
     * up, which may take longer than a short heartbeat.
     */
    Duration stallTimeout(boolean beforeFirstRow) {
        Duration timeout = heartbeatInterval.multipliedBy(missedHeartbeats);
        return beforeFirstRow && timeout.compareTo(FIRST_ROW_TIMEOUT) < 0 ? FIRST_ROW_TIMEOUT : timeout;
    }

    public static SubscriberOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.startTimestamp = startTimestamp;
        builder.endTimestamp = endTimestamp;
        builder.heartbeatInterval = heartbeatInterval;
        builder.missedHeartbeats = missedHeartbeats;
        builder.maxInflight = maxInflight;
        builder.errorHandler = errorHandler;
        builder.deadLetterSink = deadLetterSink;
        builder.watermarkInterval = watermarkInterval;
        builder.partitionDiscoveryInterval = partitionDiscoveryInterval;
        builder.leaseTime = leaseTime;
        builder.drainTimeout = drainTimeout;
        builder.finishedRetention = finishedRetention;
        builder.worker = worker;
        builder.listeners = listeners;
        return builder;
    }

    /** Collects options. {@link #build()} checks them. Confined to one thread. */
    public static final class Builder {
        private Optional<Instant> startTimestamp = Optional.empty();
        private Optional<Instant> endTimestamp = Optional.empty();
        private Duration heartbeatInterval = Duration.ofSeconds(10);
        private int missedHeartbeats = 5;
        private int maxInflight = 1;
        private ErrorHandler errorHandler = ErrorHandler.stop();
        private Optional<DeadLetterSink> deadLetterSink = Optional.empty();
        private Duration watermarkInterval = Duration.ofSeconds(1);
        private Duration partitionDiscoveryInterval = Duration.ofSeconds(1);
        private Duration leaseTime = Duration.ofSeconds(15);
        private Duration drainTimeout = Duration.ofSeconds(30);
        private Duration finishedRetention = Duration.ofDays(1);
        private Optional<WorkerId> worker = Optional.empty();
        private List<SubscriptionListener> listeners = List.of();

        private Builder() {}

        /**
         * The first commit timestamp to deliver, inclusive; within the stream's retention. Without it a new subscription
         * starts now, by the server's clock, and an existing one goes on where it was.
         */
        public Builder startAt(Instant startTimestamp) {
            this.startTimestamp = Optional.of(startTimestamp);
            return this;
        }

        /**
         * The last commit timestamp to deliver, inclusive; may be in the future. Without it the subscription never ends by
         * itself.
         */
        public Builder endAt(Instant endTimestamp) {
            this.endTimestamp = Optional.of(endTimestamp);
            return this;
        }

        /**
         * How often an idle partition shows life, 100 ms to 5 min, 10 s by default. Shorter moves watermarks of idle
         * partitions sooner, and costs a row for each partition and interval.
         */
        public Builder heartbeatInterval(Duration heartbeatInterval) {
            this.heartbeatInterval = requireNonNull(heartbeatInterval, "heartbeatInterval");
            return this;
        }

        /**
         * After how many heartbeat intervals without any record a stream counts as stalled, 2 to 1,000, 5 by default. It is
         * then cancelled and queried again from where it was. Time in which a slow consumer holds up the reading does not
         * count.
         */
        public Builder missedHeartbeats(int missedHeartbeats) {
            this.missedHeartbeats = missedHeartbeats;
            return this;
        }

        /**
         * How many changes of one partition may be read and not settled, 1 to 1,000, 1 by default. More lets reading go on
         * while a consumer is slow or waits for a retry.
         */
        public Builder maxInflight(int maxInflight) {
            this.maxInflight = maxInflight;
            return this;
        }

        /** Decides what happens to a change that the consumer refused; by default the subscription stops. */
        public Builder errorHandler(ErrorHandler errorHandler) {
            this.errorHandler = requireNonNull(errorHandler, "errorHandler");
            return this;
        }

        /** Where changes go that an error handler sets aside. Needed by handlers that decide so. */
        public Builder deadLetterSink(DeadLetterSink deadLetterSink) {
            this.deadLetterSink = Optional.of(deadLetterSink);
            return this;
        }

        /**
         * How long a watermark may stay unstored, 1 ms to 10 min, 1 s by default. Longer means fewer writes, and more
         * changes that come again after a crash.
         */
        public Builder watermarkInterval(Duration watermarkInterval) {
            this.watermarkInterval = requireNonNull(watermarkInterval, "watermarkInterval");
            return this;
        }

        /**
         * How often the storage is asked for partitions that other workers left or discovered, 1 ms to 10 min, 1 s by
         * default. What this worker discovers itself does not wait for it.
         */
        public Builder partitionDiscoveryInterval(Duration partitionDiscoveryInterval) {
            this.partitionDiscoveryInterval = requireNonNull(partitionDiscoveryInterval, "partitionDiscoveryInterval");
            return this;
        }

        /**
         * How long a partition stays with a worker that shows no life, 100 ms to 1 h, 15 s by default. Shorter lets others
         * take over sooner after a crash, and makes a slow storage or a long pause cost the lease.
         */
        public Builder leaseTime(Duration leaseTime) {
            this.leaseTime = requireNonNull(leaseTime, "leaseTime");
            return this;
        }

        /**
         * How long changes that were started may take to finish when the subscription stops because of a failure, 0 to 1 h,
         * 30 s by default. Past it they are interrupted.
         */
        public Builder drainTimeout(Duration drainTimeout) {
            this.drainTimeout = requireNonNull(drainTimeout, "drainTimeout");
            return this;
        }

        /**
         * How long a finished partition stays stored before its row is removed and only its proof kept, 0 to 365 days, 1 day
         * by default. Partitions that unfinished ones refer to stay in any case.
         */
        public Builder finishedRetention(Duration finishedRetention) {
            this.finishedRetention = requireNonNull(finishedRetention, "finishedRetention");
            return this;
        }

        /** This worker's name, never to be used by two subscribers; random for each subscriber by default. */
        public Builder worker(WorkerId worker) {
            this.worker = Optional.of(worker);
            return this;
        }

        /** Adds a listener. */
        public Builder listener(SubscriptionListener listener) {
            listeners = Stream.concat(listeners.stream(), Stream.of(listener)).toList();
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of range; the message names it, its value and the bound
         */
        public SubscriberOptions build() {
            return new SubscriberOptions(
                    startTimestamp,
                    endTimestamp,
                    heartbeatInterval,
                    missedHeartbeats,
                    maxInflight,
                    errorHandler,
                    deadLetterSink,
                    watermarkInterval,
                    partitionDiscoveryInterval,
                    leaseTime,
                    drainTimeout,
                    finishedRetention,
                    worker,
                    listeners);
        }
    }
}
