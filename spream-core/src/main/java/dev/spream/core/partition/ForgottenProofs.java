package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * The time from which on the lineage is proven, in a subscription that has forgotten proofs. Every partition that was
 * forgotten ended before it, so that from then on each partition still has to be stored or proven.
 *
 * @param before the time; what was before is proven no more
 * @param kept the number of partitions that started before it and are not {@linkplain #mayForget forgotten}: they ended
 *     later or not at all, and nothing else shows that none of them is missing
 */
public record ForgottenProofs(Instant before, int kept) {
    public ForgottenProofs {
        requireNonNull(before, "before");
    }

    /**
     * Returns whether a proof may be forgotten at some time: not that of the initial query, and only one with which the
     * stream has told the end of the partition. The others show what was lost or adopted, or are read on if the end of the
     * subscription moves.
     */
    public static boolean mayForget(PartitionToken token, PartitionEnd proof) {
        return !token.isRoot()
                && switch (proof.kind()) {
                    case CHILD_PARTITIONS, PARTITION_END -> true;
                    case BOUNDED_END, RETENTION_LOST, ADOPTED -> false;
                };
    }

    /** Returns whether a partition is among those that are kept, if it is known. */
    boolean keeps(LineageNode node) {
        return node.start().isBefore(before)
                && node.end()
                        .filter(end -> mayForget(node.token(), end) && end.at().isBefore(before))
                        .isEmpty();
    }
}
