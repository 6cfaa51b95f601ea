package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Ordering;
import dev.spream.core.subscription.reading.QuerySettings;
import java.io.Serial;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The options of a source that its enumerator needs. */
final class ReadOptions implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private static final long MIN_PREFETCH_BYTES = 16 << 10;
    private static final long MAX_PREFETCH_BYTES = 16 << 20;
    private static final Duration TURN = Duration.ofSeconds(10);

    private final @Nullable Instant startTimestamp;
    private final @Nullable Instant endTimestamp;
    private final boolean snapshot;
    private final Ordering ordering;
    private final Duration heartbeatInterval;
    private final Duration reportInterval;
    private final int missedHeartbeats;
    private final long maxBufferedBytes;
    private final @Nullable StoredSubscription stored;
    private final @Nullable Duration checkpointInterval;
    private final Duration turn;

    /**
     * Creates options.
     *
     * @param startTimestamp the first commit timestamp to read, inclusive; empty for the server's time when the job begins,
     *     or the time of its snapshot
     * @param endTimestamp the last commit timestamp to read, inclusive; empty to read for ever
     * @param snapshot whether the job begins with the rows of the tables
     * @param ordering the order of changes; {@link Ordering#NONE} if children need not wait for their parents
     * @param heartbeatInterval the interval of heartbeats while a partition is idle
     * @param reportInterval the interval at which readers report their progress, and the low watermark is sent to them
     * @param missedHeartbeats the number of intervals without a record after which a stream has stalled
     * @param maxBufferedBytes the bytes of a reader for changes that are read and not emitted, half of them in the client
     */
    ReadOptions(
            Optional<Instant> startTimestamp,
            Optional<Instant> endTimestamp,
            boolean snapshot,
            Ordering ordering,
            Duration heartbeatInterval,
            Duration reportInterval,
            int missedHeartbeats,
            long maxBufferedBytes) {
        this.startTimestamp = startTimestamp.orElse(null);
        this.endTimestamp = endTimestamp.orElse(null);
        this.snapshot = snapshot;
        this.ordering = requireNonNull(ordering, "ordering");
        this.heartbeatInterval = requireNonNull(heartbeatInterval, "heartbeatInterval");
        this.reportInterval = requireNonNull(reportInterval, "reportInterval");
        this.missedHeartbeats = missedHeartbeats;
        this.maxBufferedBytes = maxBufferedBytes;
        this.stored = null;
        this.checkpointInterval = null;
        this.turn = TURN;
    }

    private ReadOptions(
            ReadOptions options,
            @Nullable StoredSubscription stored,
            @Nullable Duration checkpointInterval,
            Duration turn) {
        this.startTimestamp = options.startTimestamp;
        this.endTimestamp = options.endTimestamp;
        this.snapshot = options.snapshot;
        this.ordering = options.ordering;
        this.heartbeatInterval = options.heartbeatInterval;
        this.reportInterval = options.reportInterval;
        this.missedHeartbeats = options.missedHeartbeats;
        this.maxBufferedBytes = options.maxBufferedBytes;
        this.stored = stored;
        this.checkpointInterval = checkpointInterval;
        this.turn = turn;
    }

    /** Returns the options of a job that begins where that subscription stands. */
    ReadOptions startFrom(StoredSubscription subscription) {
        return new ReadOptions(this, subscription, checkpointInterval, turn);
    }

    /** Returns the options of a job that takes checkpoints at that interval. */
    ReadOptions withCheckpointInterval(Duration interval) {
        return new ReadOptions(this, stored, interval, turn);
    }

    /** Returns the options with another {@link #turn}. */
    ReadOptions withTurn(Duration time) {
        return new ReadOptions(this, stored, checkpointInterval, time);
    }

    /**
     * Returns the time for which partitions wait for a reader with room, and by which one may be read ahead of another that
     * waits for its room; 10 s by default.
     */
    Duration turn() {
        return turn;
    }

    /** Returns the interval of the job's checkpoints; empty if it is not known. */
    Optional<Duration> checkpointInterval() {
        return Optional.ofNullable(checkpointInterval);
    }

    /** Returns the subscription where a new job begins; empty if it begins at a time. */
    Optional<StoredSubscription> stored() {
        return Optional.ofNullable(stored);
    }

    Optional<Instant> startTimestamp() {
        return Optional.ofNullable(startTimestamp);
    }

    Optional<Instant> endTimestamp() {
        return Optional.ofNullable(endTimestamp);
    }

    boolean snapshot() {
        return snapshot;
    }

    boolean ordered() {
        return ordering != Ordering.NONE;
    }

    Duration heartbeatInterval() {
        return heartbeatInterval;
    }

    Duration reportInterval() {
        return reportInterval;
    }

    /** Returns the bytes of changes that wait to be emitted. */
    long maxQueuedBytes() {
        return maxBufferedBytes / 2;
    }

    /** Returns the settings of the queries of a reader that may have that many open. */
    QuerySettings querySettings(int maxOpenQueries) {
        return new QuerySettings(
                heartbeatInterval,
                missedHeartbeats,
                Math.clamp(maxBufferedBytes / 2 / maxOpenQueries, MIN_PREFETCH_BYTES, MAX_PREFETCH_BYTES));
    }
}
