package dev.spream.emulator.internal.stream;

import dev.spream.emulator.Churn;

/**
 * A stream's churn and its bounds.
 *
 * @param churn when and how partitions change by themselves
 * @param initialPartitions how many partitions a new stream has
 * @param maxPartitions how many live partitions churn leaves at most; calls are not bounded
 */
public record ChurnSettings(Churn churn, int initialPartitions, int maxPartitions) {
    private static final int INITIAL = 2;
    private static final int MAX = 12;

    public ChurnSettings {
        if (initialPartitions < 1 || maxPartitions < initialPartitions) {
            throw new IllegalArgumentException("a stream has at least one partition and churn must leave room for the"
                    + " first ones, got initial " + initialPartitions + ", max " + maxPartitions);
        }
    }

    public static ChurnSettings of(Churn churn) {
        return new ChurnSettings(churn, INITIAL, MAX);
    }

    boolean enabled() {
        return !churn.interval().isZero();
    }
}
