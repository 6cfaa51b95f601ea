package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;

/**
 * The settings of a stream: its changes and faults by itself, and their bounds.
 *
 * @param churn when and how partitions change by themselves
 * @param initialPartitions how many partitions a new stream has
 * @param maxPartitions how many live partitions churn leaves at most; calls are not bounded
 * @param faultRates how often queries go wrong by themselves
 */
public record StreamSettings(PartitionChurn churn, int initialPartitions, int maxPartitions, FaultRates faultRates) {
    private static final int INITIAL = 2;
    private static final int MAX = 12;

    public StreamSettings {
        if (initialPartitions < 1 || maxPartitions < initialPartitions) {
            throw new IllegalArgumentException("a stream has at least one partition and churn must leave room for the"
                    + " first ones, got initial " + initialPartitions + ", max " + maxPartitions);
        }
    }

    public static StreamSettings of(PartitionChurn churn, FaultRates faultRates) {
        return new StreamSettings(churn, INITIAL, MAX, faultRates);
    }

    boolean churns() {
        return !churn.interval().isZero();
    }
}
