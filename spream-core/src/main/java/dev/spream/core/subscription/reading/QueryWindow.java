package dev.spream.core.subscription.reading;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The ends of the queries of a subscription. A stream with immutable key ranges is queried up to the end of the
 * subscription; one with mutable key ranges needs an end in each query, half an hour after its start at most, and is
 * read in windows.
 *
 * @param endTimestamp the end of the subscription, inclusive; empty if it has none
 * @param snapshot whether the subscription begins with a snapshot, in place of the initial query
 */
public record QueryWindow(Optional<Instant> endTimestamp, PartitionMode mode, boolean snapshot) {
    private static final Duration LENGTH = Duration.ofMinutes(30);

    /** Creates the window of a subscription that begins with the initial query. */
    public QueryWindow(Optional<Instant> endTimestamp, PartitionMode mode) {
        this(endTimestamp, mode, false);
    }

    /** Returns the token to query for a stored partition. */
    public PartitionToken queried(PartitionToken partition) {
        return snapshot && partition.isRoot() ? PartitionToken.SNAPSHOT : partition;
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
