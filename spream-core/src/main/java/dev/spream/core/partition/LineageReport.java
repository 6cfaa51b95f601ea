package dev.spream.core.partition;

import java.util.List;

/**
 * The findings of a {@link LineageCheck}.
 *
 * @param partitions how many partitions are known, stored or proven, the initial query included
 * @param finished how many of them are finished, removed ones included
 * @param removed how many clean-up has removed, and left a proof of
 * @param adopted how many ends rest on the word of another reader, whose table was adopted
 * @param completed whether the subscription says that it is completed
 * @param losses what was lost to the retention period and accepted; not a finding
 * @param findings what is wrong, by start of the partition; none if the lineage is proven
 */
public record LineageReport(
        int partitions,
        int finished,
        int removed,
        int adopted,
        boolean completed,
        List<Loss> losses,
        List<LineageFinding> findings) {

    /** Changes of a partition that the user gave up. */
    public record Loss(PartitionToken partition, PartitionGap gap) {}

    public LineageReport {
        losses = List.copyOf(losses);
        findings = List.copyOf(findings);
    }

    /** Whether the lineage shows that no time of any partition was passed over, but for accepted losses. */
    public boolean isProven() {
        return findings.isEmpty();
    }
}
