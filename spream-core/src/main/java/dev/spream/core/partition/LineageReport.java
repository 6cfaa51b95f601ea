package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of a {@link LineageCheck}: numbers of partitions, accepted losses, and findings. Without findings, the
 * lineage is proven, from its beginning or from the time when proofs were last forgotten.
 *
 * @param partitions the number of known partitions, stored or proven, the initial query included
 * @param finished the number of finished ones, removed ones included
 * @param removed the number of partitions that clean-up has removed, keeping a proof
 * @param adopted the number of ends that are known only from the adopted table of another reader
 * @param completed whether the subscription is marked as completed
 * @param losses accepted gaps; not findings
 * @param findings the findings, by start of the partition; none if the lineage is proven
 * @param provenFrom the time before which nothing is judged, because proofs were forgotten; empty if none were
 */
public record LineageReport(
        int partitions,
        int finished,
        int removed,
        int adopted,
        boolean completed,
        List<Loss> losses,
        List<LineageFinding> findings,
        Optional<Instant> provenFrom) {

    /** An accepted gap: changes of a partition that were not read. */
    public record Loss(PartitionToken partition, PartitionGap gap) {}

    public LineageReport {
        losses = List.copyOf(losses);
        findings = List.copyOf(findings);
        requireNonNull(provenFrom, "provenFrom");
    }

    /**
     * Returns whether the lineage proves that no time of any partition was skipped, except for accepted losses and what was
     * before {@link #provenFrom}.
     */
    public boolean isProven() {
        return findings.isEmpty();
    }
}
