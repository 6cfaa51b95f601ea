package dev.spream.core.subscription.reading;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The ends of the queries of a subscription. A stream with immutable key ranges is queried up to the end of the
 * subscription; one with mutable key ranges needs an end in each query, half an hour after its start at most, and is
 * read in windows.
 *
 * @param endTimestamp the end of the subscription, inclusive; empty if it has none
 * @param initialQuery the token by which the root partition is queried
 */
public record QueryWindow(Optional<Instant> endTimestamp, PartitionMode mode, PartitionToken initialQuery) {
    private static final Duration LENGTH = Duration.ofMinutes(30);

    /** Creates the window of a subscription that begins without a snapshot. */
    public QueryWindow(Optional<Instant> endTimestamp, PartitionMode mode) {
        this(endTimestamp, mode, PartitionToken.ROOT);
    }

    /** Creates the window of a stored subscription. */
    public static QueryWindow of(SubscriptionRecord subscription) {
        return new QueryWindow(subscription.endTimestamp(), subscription.partitionMode(), subscription.initialQuery());
    }

    /** Returns the window of a partition that is read up to that time for now, or up to an earlier end. */
    public QueryWindow until(Instant pause) {
        return new QueryWindow(
                Optional.of(endTimestamp.filter(end -> end.isBefore(pause)).orElse(pause)), mode, initialQuery);
    }

    /** Returns the token to query for a stored partition. */
    public PartitionToken queried(PartitionToken partition) {
        return partition.isRoot() ? initialQuery : partition;
    }

    /** Returns the end of a query that starts at that time. */
    public Optional<Instant> endOf(Instant start) {
        return isMutable()
                ? Optional.of(endTimestamp
                        .filter(end -> end.isBefore(start.plus(LENGTH)))
                        .orElseGet(() -> start.plus(LENGTH)))
                : endTimestamp;
    }

    /** Returns whether that is where the subscription ends. */
    public boolean isLast(Instant end) {
        return endTimestamp.filter(last -> !end.isBefore(last)).isPresent();
    }

    public boolean isMutable() {
        return mode == PartitionMode.MUTABLE_KEY_RANGE;
    }
}
