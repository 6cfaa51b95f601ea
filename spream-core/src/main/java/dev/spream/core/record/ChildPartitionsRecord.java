package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * A record that names partitions that continue the one being read. A partition may return several such records, all
 * with the same start; only the end of the stream that follows them says that there are no more.
 *
 * @param startTimestamp where the children start, and the exclusive end of the partition that returned the record
 * @param recordSequence orders the child records of one partition and start; opaque
 * @param childPartitions the children, at least one
 */
public record ChildPartitionsRecord(Instant startTimestamp, String recordSequence, List<ChildPartition> childPartitions)
        implements ChangeRecord {
    public ChildPartitionsRecord {
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(recordSequence, "recordSequence");
        childPartitions = List.copyOf(childPartitions);
        if (childPartitions.isEmpty()) {
            throw new IllegalArgumentException("childPartitions must name at least one partition");
        }
    }

    @Override
    public Instant timestamp() {
        return startTimestamp;
    }
}
