package dev.spream.core.record;

import java.time.Instant;

/**
 * One record of a change stream partition: a data change, a heartbeat, or the partition's children.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">Spanner:
 *     change streams record format</a>
 */
public sealed interface ChangeRecord permits DataChangeRecord, HeartbeatRecord, ChildPartitionsRecord {

    /**
     * Returns the position of this record in its partition: the commit timestamp of a data change, the timestamp of a
     * heartbeat, the start of the children. Records of one partition come in this order.
     */
    Instant timestamp();
}
