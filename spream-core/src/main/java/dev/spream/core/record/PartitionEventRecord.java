package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * A record of a stream with mutable key ranges: key ranges moved into the partition that is read, out of it, or both.
 * Changes of a moved key come from the source up to the source's own event, and from the destination after the
 * destination's.
 *
 * @param commitTimestamp when the key ranges moved
 * @param recordSequence orders the records of one partition and timestamp; opaque, compared as text
 * @param partitionToken the partition that is read
 * @param moveInSources the partitions that key ranges came from, without repetitions; empty if none moved in
 * @param moveOutDestinations the partitions that key ranges went to, without repetitions; empty if none moved out
 * @see <a
 *     href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#google.spanner.v1.ChangeStreamRecord.PartitionEventRecord">Spanner:
 *     PartitionEventRecord</a>
 */
public record PartitionEventRecord(
        Instant commitTimestamp,
        String recordSequence,
        String partitionToken,
        List<String> moveInSources,
        List<String> moveOutDestinations)
        implements ChangeRecord {
    public PartitionEventRecord {
        requireNonNull(commitTimestamp, "commitTimestamp");
        requireNonNull(recordSequence, "recordSequence");
        requireNonNull(partitionToken, "partitionToken");
        moveInSources = moveInSources.stream().distinct().toList();
        moveOutDestinations = moveOutDestinations.stream().distinct().toList();
    }

    @Override
    public Instant timestamp() {
        return commitTimestamp;
    }
}
