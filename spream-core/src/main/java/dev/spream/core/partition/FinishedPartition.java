package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * The proof that remains of a finished partition after clean-up, so that the lineage can still be checked.
 *
 * @param token the partition
 * @param parentTokens the partitions it continued
 * @param startTimestamp the start of the partition, inclusive
 * @param endProof the proof that it was read to its end
 * @param finishedAt when it was finished, on the storage's clock
 * @param gaps accepted gaps, in order of time
 */
public record FinishedPartition(
        PartitionToken token,
        List<PartitionToken> parentTokens,
        Instant startTimestamp,
        PartitionEnd endProof,
        Instant finishedAt,
        List<PartitionGap> gaps) {
    public FinishedPartition {
        requireNonNull(token, "token");
        parentTokens = List.copyOf(parentTokens);
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(endProof, "endProof");
        requireNonNull(finishedAt, "finishedAt");
        gaps = List.copyOf(gaps);
    }
}
