package dev.spream.core.source;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The parameters of one query of a partition of a change stream.
 *
 * @param token the partition; {@link PartitionToken#ROOT} is the initial query, which Spanner knows as a null token
 * @param startTimestamp the first commit timestamp to return, inclusive
 * @param endTimestamp the last commit timestamp to return, inclusive; empty to read until the partition ends
 * @param heartbeatInterval the interval of heartbeats while the partition is idle
 * @param prefetchBytes the number of bytes that the client may fetch ahead of the reader, and one row more; empty to
 *     leave it to the source
 */
public record PartitionQuery(
        PartitionToken token,
        Instant startTimestamp,
        Optional<Instant> endTimestamp,
        Duration heartbeatInterval,
        OptionalLong prefetchBytes) {
    public PartitionQuery {
        requireNonNull(token, "token");
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        requireNonNull(heartbeatInterval, "heartbeatInterval");
        requireNonNull(prefetchBytes, "prefetchBytes");
        if (prefetchBytes.isPresent() && prefetchBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "prefetchBytes is %d, must be 1 or more".formatted(prefetchBytes.getAsLong()));
        }
    }

    /** Creates a query with the source's own limit of prefetching. */
    public PartitionQuery(
            PartitionToken token, Instant startTimestamp, Optional<Instant> endTimestamp, Duration heartbeatInterval) {
        this(token, startTimestamp, endTimestamp, heartbeatInterval, OptionalLong.empty());
    }
}
