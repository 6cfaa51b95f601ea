package dev.spream.flink;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import java.time.Instant;

/** An element that was read of a partition and is not emitted yet. */
sealed interface SplitElement {

    record Change(DataChangeRecord record) implements SplitElement {}

    record Children(ChildPartitionsRecord record) implements SplitElement {}

    /**
     * Moved key ranges.
     *
     * @param moveIn the number of the move-in, if the changes after it wait; 0 if not
     */
    record Moved(PartitionEventRecord record, long moveIn) implements SplitElement {}

    /** Everything before the timestamp was read. */
    record ReadUpTo(Instant timestamp) implements SplitElement {}

    record End(PartitionEnd proof) implements SplitElement {}
}
