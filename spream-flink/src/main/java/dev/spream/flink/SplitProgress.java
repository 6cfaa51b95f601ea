package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The place up to which a reader has emitted the records of a partition.
 *
 * @param token the partition
 * @param position every record before it was emitted, except those in the gaps
 * @param moveOuts the move-outs at the position before which everything was emitted
 * @param gaps accepted gaps, in order of time; all are before the position
 */
record SplitProgress(PartitionToken token, Instant position, Optional<MoveOuts> moveOuts, List<PartitionGap> gaps) {
    SplitProgress {
        requireNonNull(token, "token");
        requireNonNull(position, "position");
        requireNonNull(moveOuts, "moveOuts");
        gaps = List.copyOf(gaps);
    }
}
