package dev.spream.cli.partition;

import dev.spream.cli.output.PartitionLayout;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The partitions that {@code partitions} shows in any format: all stored ones, or the unfinished ones and their
 * parents.
 *
 * @param shown the partitions in the order of the lineage
 * @param retention the retention period of the stream; empty if unknown
 */
record PartitionView(
        StoredSubscription stored, Map<PartitionToken, PartitionMetadata> shown, Optional<Duration> retention) {
    private static final int LONGEST_NAME = 20;
    private static final int SHORT_NAME = 8;

    static PartitionView of(StoredSubscription stored, boolean all, Optional<Duration> retention) {
        Collection<PartitionMetadata> partitions = stored.lineage().partitions();
        Set<PartitionToken> continued = stored.unfinished().stream()
                .flatMap(partition -> Stream.concat(
                        partition.parentTokens().stream(), stored.lineage().awaitedSources(partition).stream()))
                .collect(Collectors.toSet());
        Map<PartitionToken, PartitionMetadata> shown = new LinkedHashMap<>();
        for (PartitionMetadata partition : partitions) {
            if (all || !partition.isFinished() || continued.contains(partition.token())) {
                shown.put(partition.token(), partition);
            }
        }
        return new PartitionView(stored, shown, retention);
    }

    /** Returns the places of the shown partitions. */
    PartitionLayout layout() {
        return new PartitionLayout(shown.values());
    }

    /** Returns the shown parents of the partition; the root for a child of the initial query. */
    List<PartitionToken> shownParents(PartitionMetadata partition) {
        return layout().parents(partition);
    }

    /** Returns the partitions whose settlement the partition waits for, because key ranges moved in from them. */
    List<PartitionToken> awaited(PartitionMetadata partition) {
        return stored.lineage().awaitedSources(partition);
    }

    /** Returns the lag; empty for a finished partition. */
    Optional<Duration> lag(PartitionMetadata partition) {
        return partition.isFinished() ? Optional.empty() : Optional.of(partition.lag(stored.now()));
    }

    /** Returns the time until changes are lost; empty for a finished partition and without a known retention period. */
    Optional<Duration> untilLoss(PartitionMetadata partition) {
        return partition.isFinished()
                ? Optional.empty()
                : retention.map(period -> partition.untilLoss(period, stored.now()));
    }

    /** Returns the owner's short name, with a mark if its lease has expired. */
    static String owner(PartitionMetadata partition) {
        return partition
                .owner()
                .filter(worker -> !partition.isFinished())
                .map(worker -> shortName(worker) + (partition.leaseLive() ? "" : " (gone)"))
                .orElse("-");
    }

    private static String shortName(WorkerId worker) {
        String name = worker.value();
        return name.length() <= LONGEST_NAME ? name : name.substring(0, SHORT_NAME) + "…";
    }
}
