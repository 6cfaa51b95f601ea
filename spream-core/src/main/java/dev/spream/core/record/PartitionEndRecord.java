package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * The last record of a partition, in a stream with mutable key ranges: its changes have timestamps up to the end,
 * inclusive, and all of them were returned before.
 *
 * @param endTimestamp the end of the partition, inclusive
 * @param recordSequence orders the records of one partition and timestamp; opaque, compared as text
 * @param partitionToken the partition that ended, which is the one that is read
 * @see <a
 *     href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#google.spanner.v1.ChangeStreamRecord.PartitionEndRecord">Spanner:
 *     PartitionEndRecord</a>
 */
public record PartitionEndRecord(Instant endTimestamp, String recordSequence, String partitionToken)
        implements ChangeRecord {
    public PartitionEndRecord {
        requireNonNull(endTimestamp, "endTimestamp");
        requireNonNull(recordSequence, "recordSequence");
        requireNonNull(partitionToken, "partitionToken");
    }

    @Override
    public Instant timestamp() {
        return endTimestamp;
    }
}
