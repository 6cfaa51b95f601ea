package dev.spream.core.record;

import java.time.Instant;

/**
 * One record of a change stream partition: a data change, a heartbeat, or a statement about partitions. Streams with
 * immutable key ranges name children; those with mutable key ranges name the start, the end and the moved key ranges of
 * partitions.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">Spanner:
 *     change streams record format</a>
 */
public sealed interface ChangeRecord
        permits DataChangeRecord,
                HeartbeatRecord,
                ChildPartitionsRecord,
                PartitionStartRecord,
                PartitionEventRecord,
                PartitionEndRecord {

    /**
     * Returns the position of this record in its partition: the commit timestamp of a data change, the timestamp of a
     * heartbeat, the start of the children, the time of a partition's start, event or end. Records of one partition
     * come in this order.
     */
    Instant timestamp();
}
