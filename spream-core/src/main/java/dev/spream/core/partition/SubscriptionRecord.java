package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The record of a subscription, stored beside its partitions. It distinguishes a completed subscription from one that
 * never started, and a restart of the same subscription from another one under the same name.
 *
 * @param streamName the change stream
 * @param startTimestamp the first commit timestamp to read, inclusive
 * @param endTimestamp the last commit timestamp to read, inclusive; empty to read for ever
 * @param heartbeatInterval the heartbeat interval with which the subscription was created; a restart may use another
 * @param partitionMode how the stream divides its keys
 * @param completed whether everything up to the end has been read and settled
 */
public record SubscriptionRecord(
        String streamName,
        Instant startTimestamp,
        Optional<Instant> endTimestamp,
        Duration heartbeatInterval,
        PartitionMode partitionMode,
        boolean completed) {
    public SubscriptionRecord {
        requireNonNull(streamName, "streamName");
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        requireNonNull(heartbeatInterval, "heartbeatInterval");
        requireNonNull(partitionMode, "partitionMode");
        if (endTimestamp.isPresent() && endTimestamp.get().isBefore(startTimestamp)) {
            throw new IllegalArgumentException(
                    "endTimestamp %s is before startTimestamp %s".formatted(endTimestamp.get(), startTimestamp));
        }
    }

    /** Returns the root partition of this subscription: the initial query, from the start. */
    public PartitionMetadata root(Instant createdAt) {
        return PartitionMetadata.created(PartitionToken.ROOT, List.of(), startTimestamp, createdAt);
    }
}
