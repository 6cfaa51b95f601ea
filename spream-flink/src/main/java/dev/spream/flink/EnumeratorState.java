package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.SubscriptionRecord;
import java.util.List;
import java.util.Optional;

/**
 * The enumerator's part of a checkpoint: the lineage as it is once the checkpoint has completed, that is with everything
 * settled that was emitted when it was taken.
 *
 * @param subscription what is read; empty if the job had not read the start from the server yet
 * @param partitions the partitions that are not finished, and finished ones that these wait for; one that a reader has
 *     is owned
 * @param finished the proofs of finished partitions that may still be named by others
 * @param returned the splits of failed readers that are not assigned again
 */
public record EnumeratorState(
        Optional<SubscriptionRecord> subscription,
        List<PartitionMetadata> partitions,
        List<FinishedPartition> finished,
        List<PartitionSplit> returned) {
    public EnumeratorState {
        requireNonNull(subscription, "subscription");
        partitions = List.copyOf(partitions);
        finished = List.copyOf(finished);
        returned = List.copyOf(returned);
    }
}
