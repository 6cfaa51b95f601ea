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
 * @param snapshot the query in place of the initial one, in a subscription that begins with a snapshot; {@link
 *     PartitionToken#SNAPSHOT_ROWS} if its rows are delivered and it begins again with the initial query; empty if it
 *     began without a snapshot
 * @param forgotten from when on the lineage is proven; empty while all proofs are kept
 */
public record SubscriptionRecord(
        String streamName,
        Instant startTimestamp,
        Optional<Instant> endTimestamp,
        Duration heartbeatInterval,
        PartitionMode partitionMode,
        boolean completed,
        Optional<PartitionToken> snapshot,
        Optional<ForgottenProofs> forgotten) {
    public SubscriptionRecord {
        requireNonNull(streamName, "streamName");
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endTimestamp, "endTimestamp");
        requireNonNull(heartbeatInterval, "heartbeatInterval");
        requireNonNull(partitionMode, "partitionMode");
        requireNonNull(snapshot, "snapshot");
        requireNonNull(forgotten, "forgotten");
        snapshot.filter(query -> !query.isOfSnapshot()).ifPresent(query -> {
            throw new IllegalArgumentException("snapshot is %s, must be a query of a snapshot".formatted(query));
        });
        if (endTimestamp.isPresent() && endTimestamp.get().isBefore(startTimestamp)) {
            throw new IllegalArgumentException(
                    "endTimestamp %s is before startTimestamp %s".formatted(endTimestamp.get(), startTimestamp));
        }
    }

    /** Creates the record of a subscription that keeps all proofs. */
    public SubscriptionRecord(
            String streamName,
            Instant startTimestamp,
            Optional<Instant> endTimestamp,
            Duration heartbeatInterval,
            PartitionMode partitionMode,
            boolean completed,
            Optional<PartitionToken> snapshot) {
        this(
                streamName,
                startTimestamp,
                endTimestamp,
                heartbeatInterval,
                partitionMode,
                completed,
                snapshot,
                Optional.empty());
    }

    /** Creates the record of a subscription that begins without a snapshot. */
    public SubscriptionRecord(
            String streamName,
            Instant startTimestamp,
            Optional<Instant> endTimestamp,
            Duration heartbeatInterval,
            PartitionMode partitionMode,
            boolean completed) {
        this(streamName, startTimestamp, endTimestamp, heartbeatInterval, partitionMode, completed, Optional.empty());
    }

    /** Returns the token by which the root partition is queried. */
    public PartitionToken initialQuery() {
        return snapshot.filter(query -> !query.equals(PartitionToken.SNAPSHOT_ROWS))
                .orElse(PartitionToken.ROOT);
    }

    /** Returns the record, completed or not. */
    public SubscriptionRecord withCompleted(boolean completedNow) {
        return new SubscriptionRecord(
                streamName,
                startTimestamp,
                endTimestamp,
                heartbeatInterval,
                partitionMode,
                completedNow,
                snapshot,
                forgotten);
    }

    /** Returns the record, after proofs were forgotten or none was. */
    public SubscriptionRecord withForgotten(Optional<ForgottenProofs> forgottenNow) {
        return new SubscriptionRecord(
                streamName,
                startTimestamp,
                endTimestamp,
                heartbeatInterval,
                partitionMode,
                completed,
                snapshot,
                forgottenNow);
    }

    /** Returns the root partition of this subscription: the initial query, from the start. */
    public PartitionMetadata root(Instant createdAt) {
        return PartitionMetadata.created(PartitionToken.ROOT, List.of(), startTimestamp, createdAt);
    }
}
