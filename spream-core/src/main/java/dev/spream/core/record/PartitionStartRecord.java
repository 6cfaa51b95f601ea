package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * A record of a stream with mutable key ranges that names partitions to read from a time on. It does not say which
 * partitions their keys come from: the first {@link PartitionEventRecord} of each does.
 *
 * @param startTimestamp where the partitions start, inclusive
 * @param recordSequence orders the records of one partition and timestamp; opaque, compared as text
 * @param partitionTokens the partitions, at least one
 * @see <a
 *     href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#google.spanner.v1.ChangeStreamRecord.PartitionStartRecord">Spanner:
 *     PartitionStartRecord</a>
 */
public record PartitionStartRecord(Instant startTimestamp, String recordSequence, List<String> partitionTokens)
        implements ChangeRecord {
    public PartitionStartRecord {
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(recordSequence, "recordSequence");
        partitionTokens = List.copyOf(partitionTokens);
        if (partitionTokens.isEmpty()) {
            throw new IllegalArgumentException("partitionTokens must name at least one partition");
        }
    }

    @Override
    public Instant timestamp() {
        return startTimestamp;
    }
}
