package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;

/** The form in which {@code tail} prints records. Safe for use by many threads. */
interface LineFormat {

    /** Returns the line of a delivered change, or a line for each of its rows. */
    String change(PartitionToken partition, DataChangeRecord change);

    /** Returns the line of a record that is read and not delivered: a heartbeat, or one about partitions. */
    String other(PartitionToken partition, ChangeRecord record);
}
