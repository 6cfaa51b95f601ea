package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rows that a {@link Correction} changes. All rows that it writes are without owner, so that nothing which a former
 * owner writes later has an effect; and unfinished, unless it removes all.
 *
 * @param before the subscription as stored
 * @param after the subscription as it will be
 * @param lineage all partitions as stored
 * @param removesAll whether all partitions and proofs are removed, before {@code written} is stored
 * @param written the partitions that are stored, changed or new, as they will be
 * @param restored those of {@code written} that clean-up had removed; their proofs are removed
 * @param removed the partitions that are removed, with their proofs, before {@code written} is stored
 * @param change the change; one line, empty if there is none
 */
public record CorrectionPlan(
        SubscriptionRecord before,
        SubscriptionRecord after,
        Lineage lineage,
        boolean removesAll,
        List<PartitionMetadata> written,
        Set<PartitionToken> restored,
        Set<PartitionToken> removed,
        String change) {
    public CorrectionPlan {
        requireNonNull(before, "before");
        requireNonNull(after, "after");
        requireNonNull(lineage, "lineage");
        written = List.copyOf(written);
        restored = Set.copyOf(restored);
        removed = Set.copyOf(removed);
        requireNonNull(change, "change");
    }

    /** Returns a plan that changes nothing, because the subscription is as requested. */
    static CorrectionPlan ofNothing(SubscriptionRecord subscription, Lineage lineage) {
        return new CorrectionPlan(subscription, subscription, lineage, false, List.of(), Set.of(), Set.of(), "");
    }

    /** Returns whether the subscription is as requested; then nothing is written, and there is no audit line. */
    public boolean changesNothing() {
        return change.isEmpty();
    }

    /** Returns whether a partition of {@code written} was never stored before, or is removed first. */
    public boolean isNew(PartitionMetadata partition) {
        return removesAll || (lineage.partition(partition.token()).isEmpty() && !restored.contains(partition.token()));
    }

    /** Returns all partitions as they will be stored. */
    public Collection<PartitionMetadata> partitionsAfter() {
        Map<PartitionToken, PartitionMetadata> partitions = new LinkedHashMap<>();
        if (!removesAll) {
            lineage.partitions().forEach(partition -> partitions.put(partition.token(), partition));
            partitions.keySet().removeAll(removed);
        }
        written.forEach(partition -> partitions.put(partition.token(), partition));
        return List.copyOf(partitions.values());
    }

    /** Returns the low watermark as it will be; empty if all partitions will be finished. */
    public Optional<Instant> lowWatermarkAfter() {
        return Lineage.of(partitionsAfter(), lineage.readAt()).lowWatermark();
    }
}
