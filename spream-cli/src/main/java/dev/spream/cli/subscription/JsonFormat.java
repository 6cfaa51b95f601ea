package dev.spream.cli.subscription;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;

/**
 * Records as lines of JSON, in the shape of the documentation.
 *
 * @param named whether each line names its kind and its partition; otherwise changes alone are printed, without a name
 */
record JsonFormat(boolean named) implements LineFormat {
    @Override
    public String change(PartitionToken partition, DataChangeRecord change) {
        return named ? line(partition, "data_change_record", change.toJson()) : change.toJson();
    }

    @Override
    public String other(PartitionToken partition, ChangeRecord record) {
        return switch (record) {
            case DataChangeRecord change -> change(partition, change);
            case HeartbeatRecord heartbeat ->
                line(partition, "heartbeat_record", new Members().put("timestamp", heartbeat.timestamp()));
            case ChildPartitionsRecord children -> line(partition, "child_partitions_record", children(children));
            case PartitionStartRecord start -> line(partition, "partition_start_record", start(start));
            case PartitionEventRecord event -> line(partition, "partition_event_record", event(event));
            case PartitionEndRecord end -> line(partition, "partition_end_record", end(end));
        };
    }

    /** The initial query has no token, as in Spanner. */
    private static String line(PartitionToken partition, String kind, Object record) {
        return "{\"partition_token\":%s,\"%s\":%s}"
                .formatted(Json.text(partition.isRoot() ? null : partition.value()), kind, record);
    }

    private static Members children(ChildPartitionsRecord children) {
        return new Members()
                .put("start_timestamp", children.startTimestamp())
                .put("record_sequence", children.recordSequence())
                .list(
                        "child_partitions",
                        children.childPartitions(),
                        child -> new Members()
                                .put("token", child.token())
                                .put("parent_partition_tokens", child.parentTokens()));
    }

    private static Members start(PartitionStartRecord start) {
        return new Members()
                .put("start_timestamp", start.startTimestamp())
                .put("record_sequence", start.recordSequence())
                .put("partition_tokens", start.partitionTokens());
    }

    private static Members event(PartitionEventRecord event) {
        return new Members()
                .put("commit_timestamp", event.commitTimestamp())
                .put("record_sequence", event.recordSequence())
                .put("partition_token", event.partitionToken())
                .list(
                        "move_in_events",
                        event.moveInSources(),
                        source -> new Members().put("source_partition_token", source))
                .list(
                        "move_out_events",
                        event.moveOutDestinations(),
                        destination -> new Members().put("destination_partition_token", destination));
    }

    private static Members end(PartitionEndRecord end) {
        return new Members()
                .put("end_timestamp", end.endTimestamp())
                .put("record_sequence", end.recordSequence())
                .put("partition_token", end.partitionToken());
    }
}
