package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Ordering;
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

    private final @Nullable Instant startTimestamp;
    private final @Nullable Instant endTimestamp;
    private final boolean snapshot;
    private final Ordering ordering;
    private final Duration heartbeatInterval;
    private final Duration reportInterval;

    /**
     * Creates options.
     *
     * @param startTimestamp the first commit timestamp to read, inclusive; empty for the server's time when the job begins,
     *     or the time of its snapshot
     * @param endTimestamp the last commit timestamp to read, inclusive; empty to read for ever
     * @param snapshot whether the job begins with the rows of the tables
     * @param ordering the order of changes; {@link Ordering#NONE} if children need not wait for their parents
     * @param heartbeatInterval the interval of heartbeats while a partition is idle
     * @param reportInterval the interval at which the low watermark is sent to the readers
     */
    ReadOptions(
            Optional<Instant> startTimestamp,
            Optional<Instant> endTimestamp,
            boolean snapshot,
            Ordering ordering,
            Duration heartbeatInterval,
            Duration reportInterval) {
        this.startTimestamp = startTimestamp.orElse(null);
        this.endTimestamp = endTimestamp.orElse(null);
        this.snapshot = snapshot;
        this.ordering = requireNonNull(ordering, "ordering");
        this.heartbeatInterval = requireNonNull(heartbeatInterval, "heartbeatInterval");
        this.reportInterval = requireNonNull(reportInterval, "reportInterval");
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
}
