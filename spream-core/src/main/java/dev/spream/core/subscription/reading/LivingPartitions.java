package dev.spream.core.subscription.reading;

import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.PartitionStartRecord;
import java.util.List;

/** The partitions that live at the start of an initial query, by its records. */
public final class LivingPartitions {
    private LivingPartitions() {}

    /** Returns the tokens that a record of an initial query names, in either partition mode. */
    public static List<String> of(ChangeRecord record) {
        return switch (record) {
            case ChildPartitionsRecord children ->
                children.childPartitions().stream().map(ChildPartition::token).toList();
            case PartitionStartRecord start -> start.partitionTokens();
            default -> List.of();
        };
    }
}
