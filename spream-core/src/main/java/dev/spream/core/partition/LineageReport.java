package dev.spream.core.partition;

import java.util.List;

/**
 * The findings of a {@link LineageCheck}.
 *
 * @param partitions how many partitions are known, stored or proven, the initial query included
 * @param finished how many of them are finished, removed ones included
 * @param removed how many clean-up has removed, and left a proof of
 * @param adopted how many ends rest on the word of another reader, whose table was adopted
 * @param completed whether the subscription is marked as completed
 * @param losses accepted losses to the retention period; not findings
 * @param findings the findings, by start of the partition; none if the lineage is proven
 */
public record LineageReport(
        int partitions,
        int finished,
        int removed,
        int adopted,
        boolean completed,
        List<Loss> losses,
        List<LineageFinding> findings) {

    /** Changes of a partition whose loss the user accepted. */
    public record Loss(PartitionToken partition, PartitionGap gap) {}

    public LineageReport {
        losses = List.copyOf(losses);
        findings = List.copyOf(findings);
    }

    /** Returns whether the lineage proves that no time of any partition was skipped, except for accepted losses. */
    public boolean isProven() {
        return findings.isEmpty();
    }
}
