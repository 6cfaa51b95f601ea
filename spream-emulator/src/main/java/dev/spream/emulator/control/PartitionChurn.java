package dev.spream.emulator.control;

import java.time.Duration;

/**
 * The churn of the emulator's change stream partitions: how often they split, merge and move by themselves. The moments
 * and the choices depend on the emulator's seed.
 *
 * @param interval the mean time between two changes of one stream; zero for none
 * @param splitWeight how often a change is a split, in proportion to the other weights
 * @param mergeWeight how often it is a merge of two neighbours
 * @param moveWeight how often a partition is replaced by one of the same key range; with mutable key ranges, also how
 * often a range moves to another partition or a new one, or two partitions exchange ranges, sometimes at the timestamp of
 * the next commit
 */
public record PartitionChurn(Duration interval, int splitWeight, int mergeWeight, int moveWeight) {
    public PartitionChurn {
        if (interval.isNegative()) {
            throw new IllegalArgumentException(
                    "churn interval must not be negative, got " + interval.toMillis() + " ms");
        }
        if (splitWeight < 0 || mergeWeight < 0 || moveWeight < 0 || splitWeight + mergeWeight + moveWeight == 0) {
            throw new IllegalArgumentException("churn weights must not be negative nor all zero, got split "
                    + splitWeight + ", merge " + mergeWeight + ", move " + moveWeight);
        }
    }

    /** Returns settings without churn: partitions change only by call. */
    public static PartitionChurn none() {
        return every(Duration.ZERO);
    }

    /**
     * Returns settings by which a stream's partitions change once in about the given time: as many merges as splits,
     * and occasionally a move.
     */
    public static PartitionChurn every(Duration interval) {
        return new PartitionChurn(interval, 2, 2, 1);
    }

    /** Returns these settings with other proportions. */
    public PartitionChurn weights(int splits, int merges, int moves) {
        return new PartitionChurn(interval, splits, merges, moves);
    }
}
