package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;

/**
 * The settings of a stream: its churn and fault rates, and their bounds.
 *
 * @param churn when and how partitions change by themselves
 * @param initialPartitions the number of partitions of a new stream
 * @param maxPartitions the number of live partitions that churn does not exceed; calls are not bounded
 * @param faultRates how often queries fail by themselves
 */
public record StreamSettings(PartitionChurn churn, int initialPartitions, int maxPartitions, FaultRates faultRates) {
    private static final int INITIAL = 2;
    private static final int MAX = 12;

    public StreamSettings {
        if (initialPartitions < 1 || maxPartitions < initialPartitions) {
            throw new IllegalArgumentException("a stream needs at least one initial partition and a maximum that is "
                    + "not lower, got initial " + initialPartitions + ", max " + maxPartitions);
        }
    }

    public static StreamSettings of(PartitionChurn churn, FaultRates faultRates) {
        return new StreamSettings(churn, INITIAL, MAX, faultRates);
    }

    boolean churns() {
        return !churn.interval().isZero();
    }
}
