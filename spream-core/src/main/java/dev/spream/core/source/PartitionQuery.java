package dev.spream.core.source;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A query of one partition.
 *
 * @param token the partition; {@link PartitionToken#ROOT} is the initial query, which Spanner knows as a null token
 * @param startTimestamp the first commit timestamp to return, inclusive
 * @param endTimestamp the last commit timestamp to return, inclusive; empty to read until the partition ends
 * @param heartbeatInterval how often the partition shows life while it is idle
 */
public record PartitionQuery(
        PartitionToken token, Instant startTimestamp, Optional<Instant> endTimestamp, Duration heartbeatInterval) {
    public PartitionQuery {
        requireNonNull(token, "token");
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        requireNonNull(heartbeatInterval, "heartbeatInterval");
    }
}
