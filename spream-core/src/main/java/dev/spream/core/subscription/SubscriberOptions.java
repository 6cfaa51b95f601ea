package dev.spream.core.subscription;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The options of a {@link Subscriber}. Immutable; {@link Builder} describes each option and when to change it.
 */
public record SubscriberOptions(
        Optional<Instant> startTimestamp,
        Optional<Instant> endTimestamp,
        boolean storedRange,
        boolean snapshot,
        Duration heartbeatInterval,
        int missedHeartbeats,
        int maxInflight,
        Optional<Ordering> ordering,
        TransactionMode transactionMode,
        Optional<Supplier<ChangeBuffer>> transactionBuffer,
        int maxBatchSize,
        Optional<Duration> consumeTimeout,
        int maxBufferedChanges,
        long maxBufferedBytes,
        int maxOpenPartitions,
        RetentionLoss retentionLoss,
        DecodingFailure decodingFailure,
        ErrorHandler errorHandler,
        Optional<DeadLetterSink> deadLetterSink,
        Duration watermarkInterval,
        Duration partitionDiscoveryInterval,
        Duration leaseTime,
        Duration drainTimeout,
        Duration finishedRetention,
        Duration proofRetention,
        Optional<WorkerId> worker,
        List<SubscriptionListener> listeners) {
    /** The minimum of the heartbeat interval. Spanner accepts 100 ms; its documentation guarantees one second. */
    public static final Duration MIN_HEARTBEAT_INTERVAL = Duration.ofMillis(100);

    public static final Duration MAX_HEARTBEAT_INTERVAL = Duration.ofMinutes(5);
    public static final int MAX_MAX_INFLIGHT = 1_000;
    public static final long MIN_MAX_BUFFERED_BYTES = 1L << 20;
    public static final Duration MAX_PROOF_RETENTION = Duration.ofDays(36_500);
    private static final int MAX_MISSED_HEARTBEATS = 1_000;
    private static final int MAX_MAX_BUFFERED_CHANGES = 10_000_000;
    private static final int MAX_MAX_OPEN_PARTITIONS = 100_000;
    private static final int DEFAULT_HEAP_SHARE = 4;

    public SubscriberOptions {
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        if (snapshot && startTimestamp.isPresent()) {
            throw new IllegalArgumentException(
                    "startTimestamp is %s, and snapshot is true: a snapshot starts at the time of the first run"
                            .formatted(startTimestamp.get()));
        }
        requireBetween("heartbeatInterval", heartbeatInterval, MIN_HEARTBEAT_INTERVAL, MAX_HEARTBEAT_INTERVAL);
        requireBetween("missedHeartbeats", missedHeartbeats, 2, MAX_MISSED_HEARTBEATS);
        requireBetween("maxInflight", maxInflight, 1, MAX_MAX_INFLIGHT);
        requireNonNull(ordering, "ordering");
        requireNonNull(transactionMode, "transactionMode");
        requireNonNull(transactionBuffer, "transactionBuffer");
        requireBetween("maxBatchSize", maxBatchSize, 1, MAX_MAX_INFLIGHT);
        consumeTimeout.ifPresent(
                timeout -> requireBetween("consumeTimeout", timeout, Duration.ofMillis(1), Duration.ofDays(1)));
        requireBetween("maxBufferedChanges", maxBufferedChanges, 1, MAX_MAX_BUFFERED_CHANGES);
        requireBetween("maxBufferedBytes", maxBufferedBytes, MIN_MAX_BUFFERED_BYTES, Long.MAX_VALUE);
        requireBetween("maxOpenPartitions", maxOpenPartitions, 1, MAX_MAX_OPEN_PARTITIONS);
        requireNonNull(retentionLoss, "retentionLoss");
        requireNonNull(decodingFailure, "decodingFailure");
        requireNonNull(errorHandler, "errorHandler");
        requireNonNull(deadLetterSink, "deadLetterSink");
        if (decodingFailure == DecodingFailure.DEAD_LETTER && deadLetterSink.isEmpty()) {
            throw new IllegalArgumentException("decodingFailure is DEAD_LETTER, which needs a deadLetterSink");
        }
        requireBetween("watermarkInterval", watermarkInterval, Duration.ofMillis(1), Duration.ofMinutes(10));
        requireBetween(
                "partitionDiscoveryInterval", partitionDiscoveryInterval, Duration.ofMillis(1), Duration.ofMinutes(10));
        requireBetween("leaseTime", leaseTime, Duration.ofMillis(100), Duration.ofHours(1));
        requireBetween("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofHours(1));
        requireBetween("finishedRetention", finishedRetention, Duration.ZERO, Duration.ofDays(365));
        requireBetween("proofRetention", proofRetention, Duration.ZERO, MAX_PROOF_RETENTION);
        if (proofRetention.compareTo(finishedRetention) < 0) {
            throw new IllegalArgumentException("proofRetention is %s, must be at least finishedRetention, %s"
                    .formatted(DurationText.of(proofRetention), DurationText.of(finishedRetention)));
        }
        requireNonNull(worker, "worker");
        if (snapshot && transactionMode == TransactionMode.COMMIT_ORDER) {
            throw new IllegalArgumentException(
                    "transactionMode is COMMIT_ORDER, which cannot begin with a snapshot: its rows have one commit timestamp. Use WHOLE, or no snapshot");
        }
        listeners = List.copyOf(listeners);
        if (startTimestamp.isPresent()
                && endTimestamp.isPresent()
                && endTimestamp.get().isBefore(startTimestamp.get())) {
            throw new IllegalArgumentException(
                    "endTimestamp %s is before startTimestamp %s".formatted(endTimestamp.get(), startTimestamp.get()));
        }
    }

    /**
     * Returns the ordering in effect: the configured one, or else the default for {@link #maxInflight}. In commit order
     * {@link Ordering#NONE} counts as {@link Ordering#KEY}: otherwise an earlier change of a key that moved to another
     * partition could come again after a crash, and the later one not.
     */
    public Ordering effectiveOrdering() {
        Ordering configured = ordering.orElse(maxInflight == 1 ? Ordering.PARTITION : Ordering.KEY);
        return configured == Ordering.NONE && transactionMode == TransactionMode.COMMIT_ORDER
                ? Ordering.KEY
                : configured;
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
        builder.storedRange = storedRange;
        builder.snapshot = snapshot;
        builder.heartbeatInterval = heartbeatInterval;
        builder.missedHeartbeats = missedHeartbeats;
        builder.maxInflight = maxInflight;
        builder.ordering = ordering;
        builder.transactionMode = transactionMode;
        builder.transactionBuffer = transactionBuffer;
        builder.maxBatchSize = maxBatchSize;
        builder.consumeTimeout = consumeTimeout;
        builder.maxBufferedChanges = maxBufferedChanges;
        builder.maxBufferedBytes = maxBufferedBytes;
        builder.maxOpenPartitions = maxOpenPartitions;
        builder.retentionLoss = retentionLoss;
        builder.decodingFailure = decodingFailure;
        builder.errorHandler = errorHandler;
        builder.deadLetterSink = deadLetterSink;
        builder.watermarkInterval = watermarkInterval;
        builder.partitionDiscoveryInterval = partitionDiscoveryInterval;
        builder.leaseTime = leaseTime;
        builder.drainTimeout = drainTimeout;
        builder.finishedRetention = finishedRetention;
        builder.proofRetention = proofRetention;
        builder.worker = worker;
        builder.listeners = listeners;
        return builder;
    }

    /** Collects options. {@link #build()} checks them. Confined to one thread. */
    public static final class Builder {
        private Optional<Instant> startTimestamp = Optional.empty();
        private Optional<Instant> endTimestamp = Optional.empty();
        private boolean storedRange;
        private boolean snapshot;
        private Duration heartbeatInterval = Duration.ofSeconds(10);
        private int missedHeartbeats = 5;
        private int maxInflight = 1;
        private Optional<Ordering> ordering = Optional.empty();
        private TransactionMode transactionMode = TransactionMode.OFF;
        private Optional<Supplier<ChangeBuffer>> transactionBuffer = Optional.empty();
        private int maxBatchSize = MAX_MAX_INFLIGHT;
        private Optional<Duration> consumeTimeout = Optional.empty();
        private int maxBufferedChanges = 10_000;
        private long maxBufferedBytes =
                Math.max(MIN_MAX_BUFFERED_BYTES, Runtime.getRuntime().maxMemory() / DEFAULT_HEAP_SHARE);
        private int maxOpenPartitions = 1_000;
        private RetentionLoss retentionLoss = RetentionLoss.STOP;
        private DecodingFailure decodingFailure = DecodingFailure.STOP;
        private ErrorHandler errorHandler = ErrorHandler.stop();
        private Optional<DeadLetterSink> deadLetterSink = Optional.empty();
        private Duration watermarkInterval = Duration.ofSeconds(1);
        private Duration partitionDiscoveryInterval = Duration.ofSeconds(1);
        private Duration leaseTime = Duration.ofSeconds(15);
        private Duration drainTimeout = Duration.ofSeconds(30);
        private Duration finishedRetention = Duration.ofDays(1);
        private Duration proofRetention = Duration.ofDays(30);
        private Optional<WorkerId> worker = Optional.empty();
        private List<SubscriptionListener> listeners = List.of();

        private Builder() {}

        /**
         * Sets the first commit timestamp to deliver, inclusive; within the stream's retention. Without it a new
         * subscription starts now, by the server's clock, and an existing one continues where it was.
         */
        public Builder startAt(Instant startTimestamp) {
            this.startTimestamp = Optional.of(startTimestamp);
            return this;
        }

        /**
         * Sets the last commit timestamp to deliver, inclusive; may be in the future. Without it the subscription never
         * ends by itself.
         */
        public Builder endAt(Instant endTimestamp) {
            this.endTimestamp = Optional.of(endTimestamp);
            return this;
        }

        /**
         * Sets whether a stored subscription keeps its start and end if they differ from {@link #startAt} and {@link
         * #endAt}, which then apply to the first run only. By default false: a difference is refused.
         */
        public Builder storedRange(boolean storedRange) {
            this.storedRange = storedRange;
            return this;
        }

        /**
         * Sets whether a new subscription begins with a snapshot: the rows of the watched tables as of its start,
         * delivered as inserts, and then the changes after it. By default false. Its start is the time of the first
         * run. A stored subscription continues as it began; one that began without a snapshot is refused.
         */
        public Builder snapshot(boolean snapshot) {
            this.snapshot = snapshot;
            return this;
        }

        /**
         * Sets the heartbeat interval of idle partitions, 100 ms to 5 min, 10 s by default. A shorter interval moves
         * the watermarks of idle partitions sooner, and costs a row for each partition and interval.
         */
        public Builder heartbeatInterval(Duration heartbeatInterval) {
            this.heartbeatInterval = requireNonNull(heartbeatInterval, "heartbeatInterval");
            return this;
        }

        /**
         * Sets the number of heartbeat intervals without any record after which a stream counts as stalled, 2 to 1,000,
         * 5 by default. It is then cancelled and queried again from its last position. Time in which a slow consumer
         * blocks the reading does not count.
         */
        public Builder missedHeartbeats(int missedHeartbeats) {
            this.missedHeartbeats = missedHeartbeats;
            return this;
        }

        /**
         * Sets the maximum number of changes of one partition that are read and not settled, 1 to 1,000, 1 by default.
         * With more, reading continues while a consumer is slow or waits for a retry, and changes of different keys are
         * consumed at the same time. Once that many are in flight, reading resumes when a quarter of them is settled.
         */
        public Builder maxInflight(int maxInflight) {
            this.maxInflight = maxInflight;
            return this;
        }

        /**
         * Sets the order of delivery. By default {@link Ordering#PARTITION} with one change in flight, and {@link
         * Ordering#KEY} with more.
         */
        public Builder ordering(Ordering ordering) {
            this.ordering = Optional.of(ordering);
            return this;
        }

        /**
         * Sets whether whole transactions are delivered, and in which order; {@link TransactionMode#OFF} by default, and
         * {@link TransactionMode#WHOLE} for a {@link dev.spream.core.consume.TransactionConsumer}. One worker at a time then
         * reads all partitions, which have to fit into {@link #maxOpenPartitions}; {@link #maxInflight} is the number of
         * transactions that are delivered at once; rows that cannot be decoded stop the subscription. Stop all workers to
         * change it.
         */
        public Builder transactionMode(TransactionMode transactionMode) {
            this.transactionMode = requireNonNull(transactionMode, "transactionMode");
            return this;
        }

        /**
         * Sets where changes of transactions are kept that do not fit into half of {@link #maxBufferedBytes}; opened once
         * for each run that delivers whole transactions, and closed at its end. In memory by default.
         */
        public Builder transactionBuffer(Supplier<ChangeBuffer> transactionBuffer) {
            this.transactionBuffer = Optional.of(transactionBuffer);
            return this;
        }

        /**
         * Sets the maximum number of changes that a {@link dev.spream.core.consume.BatchConsumer} receives in one call,
         * 1 to 1,000, by default as many as may be in flight. A call is made when none is running for the partition,
         * with the changes that are ready then; with less than {@link #maxInflight}, further calls are made at the same
         * time as soon as there are enough changes for a full one.
         */
        public Builder maxBatchSize(int maxBatchSize) {
            this.maxBatchSize = maxBatchSize;
            return this;
        }

        /**
         * Sets the time limit of one call of the consumer, 1 ms to 1 day; no limit by default. A call that exceeds it
         * is interrupted, and counts as failed unless it returns normally nevertheless. A call that ignores the
         * interrupt keeps its changes and those that wait for them: nothing is delivered a second time while the first
         * call may still be running.
         */
        public Builder consumeTimeout(Duration consumeTimeout) {
            this.consumeTimeout = Optional.of(consumeTimeout);
            return this;
        }

        /**
         * Sets the maximum number of changes that are read and not settled over all partitions, 1 to 10,000,000, 10,000
         * by default. Every partition may hold one in any case, so that none starves.
         */
        public Builder maxBufferedChanges(int maxBufferedChanges) {
            this.maxBufferedChanges = maxBufferedChanges;
            return this;
        }

        /**
         * Sets the maximum memory of changes over all partitions in bytes, at least 1 MiB, by default a quarter of the
         * heap. Half of it is for changes that are read and not settled, where every partition may hold one in any
         * case; the other half is divided among the {@linkplain #maxOpenPartitions queries that may be open} for what
         * the client fetches ahead, 16 KiB to 16 MiB each: with many queries and little memory, the lower bound exceeds
         * the half.
         */
        public Builder maxBufferedBytes(long maxBufferedBytes) {
            this.maxBufferedBytes = maxBufferedBytes;
            return this;
        }

        /**
         * Sets the maximum number of partitions that are read at the same time, 1 to 100,000, 1,000 by default, and
         * never more than the source can {@linkplain dev.spream.core.source.ChangeStreamSource#maxOpenQueries carry}.
         * An idle partition counts too. Partitions over the limit wait, or are read by other workers; the one with the
         * oldest watermark is next. While some wait, open partitions are handed over to them in turn.
         */
        public Builder maxOpenPartitions(int maxOpenPartitions) {
            this.maxOpenPartitions = maxOpenPartitions;
            return this;
        }

        /**
         * Sets the treatment of changes that were lost to the stream's retention period; by default the subscription
         * stops.
         */
        public Builder retentionLoss(RetentionLoss retentionLoss) {
            this.retentionLoss = requireNonNull(retentionLoss, "retentionLoss");
            return this;
        }

        /**
         * Sets the treatment of rows that cannot be decoded; by default the subscription stops. {@link
         * DecodingFailure#DEAD_LETTER} needs a {@link #deadLetterSink}.
         */
        public Builder decodingFailure(DecodingFailure decodingFailure) {
            this.decodingFailure = requireNonNull(decodingFailure, "decodingFailure");
            return this;
        }

        /** Sets the handler of changes on which the consumer failed; by default the subscription stops. */
        public Builder errorHandler(ErrorHandler errorHandler) {
            this.errorHandler = requireNonNull(errorHandler, "errorHandler");
            return this;
        }

        /** Sets the store of changes that the error handler dead-letters. Required by handlers that decide so. */
        public Builder deadLetterSink(DeadLetterSink deadLetterSink) {
            this.deadLetterSink = Optional.of(deadLetterSink);
            return this;
        }

        /**
         * Sets how long a watermark may stay unstored, 1 ms to 10 min, 1 s by default. A longer interval means fewer
         * writes, and more repeated changes after a crash.
         */
        public Builder watermarkInterval(Duration watermarkInterval) {
            this.watermarkInterval = requireNonNull(watermarkInterval, "watermarkInterval");
            return this;
        }

        /**
         * Sets the interval at which the storage is read for partitions that other workers released or discovered, 1 ms
         * to 10 min, 1 s by default. Partitions that this worker discovers itself are claimed at once.
         */
        public Builder partitionDiscoveryInterval(Duration partitionDiscoveryInterval) {
            this.partitionDiscoveryInterval = requireNonNull(partitionDiscoveryInterval, "partitionDiscoveryInterval");
            return this;
        }

        /**
         * Sets the lease time, after which the partitions of an unresponsive worker are taken over, 100 ms to 1 h, 15 s
         * by default. With a shorter one, others take over sooner after a crash, but a slow storage or a long pause
         * loses the lease.
         */
        public Builder leaseTime(Duration leaseTime) {
            this.leaseTime = requireNonNull(leaseTime, "leaseTime");
            return this;
        }

        /**
         * Sets the time that started changes may take to finish when the subscription stops because of a failure, 0 to
         * 1 h, 30 s by default. Afterwards they are interrupted. When a partition is handed over, it limits the time
         * that its changes in flight may take to settle; then those not started are left to the next owner.
         */
        public Builder drainTimeout(Duration drainTimeout) {
            this.drainTimeout = requireNonNull(drainTimeout, "drainTimeout");
            return this;
        }

        /**
         * Sets how long a finished partition stays stored before its row is removed and only its proof kept, 0 to 365
         * days, 1 day by default. Partitions that unfinished ones refer to are kept in any case.
         */
        public Builder finishedRetention(Duration finishedRetention) {
            this.finishedRetention = requireNonNull(finishedRetention, "finishedRetention");
            return this;
        }

        /**
         * Sets how long the proof of a finished partition is kept after it finished, from {@link #finishedRetention} to
         * 36,500 days, 30 days by default. The lineage is proven from then on only. Proofs of partitions that may still be
         * named are kept in any case.
         */
        public Builder proofRetention(Duration proofRetention) {
            this.proofRetention = requireNonNull(proofRetention, "proofRetention");
            return this;
        }

        /** Sets this worker's id, which no other subscriber may ever use; random for each subscriber by default. */
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
         * Builds the options.
         *
         * @throws IllegalArgumentException if one is out of range; the message names it, its value and the bound
         */
        public SubscriberOptions build() {
            return new SubscriberOptions(
                    startTimestamp,
                    endTimestamp,
                    storedRange,
                    snapshot,
                    heartbeatInterval,
                    missedHeartbeats,
                    maxInflight,
                    ordering,
                    transactionMode,
                    transactionBuffer,
                    maxBatchSize,
                    consumeTimeout,
                    maxBufferedChanges,
                    maxBufferedBytes,
                    maxOpenPartitions,
                    retentionLoss,
                    decodingFailure,
                    errorHandler,
                    deadLetterSink,
                    watermarkInterval,
                    partitionDiscoveryInterval,
                    leaseTime,
                    drainTimeout,
                    finishedRetention,
                    proofRetention,
                    worker,
                    listeners);
        }
    }
}
