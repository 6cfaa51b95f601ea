package dev.spream.cli.http;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The partitions of a lineage to display: the unfinished ones, their parents, and the latest finished ones.
 *
 * @param partitions in the order in which they started
 * @param leftOut the number of finished ones that are omitted
 */
record ShownPartitions(List<PartitionMetadata> partitions, int leftOut) {
    private static final int FINISHED = 500;
    private static final Comparator<PartitionMetadata> LATEST_FIRST = Comparator.comparing(
                    (PartitionMetadata partition) -> partition.finishedAt().orElse(partition.createdAt()))
            .reversed();

    static ShownPartitions of(Lineage lineage) {
        Set<PartitionToken> shown = new HashSet<>();
        for (PartitionMetadata partition : lineage.partitions()) {
            if (!partition.isFinished()) {
                shown.add(partition.token());
                shown.addAll(partition.parentTokens());
            }
        }
        lineage.partitions().stream()
                .filter(PartitionMetadata::isFinished)
                .sorted(LATEST_FIRST)
                .limit(FINISHED)
                .forEach(partition -> shown.add(partition.token()));
        List<PartitionMetadata> partitions = lineage.partitions().stream()
                .filter(partition -> shown.contains(partition.token()))
                .sorted(Comparator.comparing(PartitionMetadata::startTimestamp)
                        .thenComparing(PartitionMetadata::createdAt)
                        .thenComparing(PartitionMetadata::token))
                .toList();
        return new ShownPartitions(partitions, lineage.partitions().size() - partitions.size());
    }
}
