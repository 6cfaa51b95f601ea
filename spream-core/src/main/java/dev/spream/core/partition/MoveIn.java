package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * Key ranges that moved into a partition. Changes of the partition after the move wait until every source has settled
 * everything before its own move-out, so that the changes of a key stay in order.
 *
 * @param timestamp when the key ranges moved
 * @param sources the partitions they came from, at least one
 * @see <a
 *     href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#google.spanner.v1.ChangeStreamRecord.PartitionEventRecord">Spanner:
 *     PartitionEventRecord</a>
 */
public record MoveIn(Instant timestamp, List<PartitionToken> sources) {
    public MoveIn {
        requireNonNull(timestamp, "timestamp");
        sources = List.copyOf(sources);
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("a move-in has at least one source");
        }
    }
}
