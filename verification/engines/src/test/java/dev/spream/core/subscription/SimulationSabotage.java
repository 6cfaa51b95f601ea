package dev.spream.core.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import java.util.Optional;

/**
 * Stands between the engine and what the judge sees, and makes the engine seem to break a promise. The judge has to find
 * out.
 */
interface SimulationSabotage {
    /** None. */
    SimulationSabotage NONE = new SimulationSabotage() {};

    /** Returns the mode of the stream; empty if both show it. */
    default Optional<PartitionMode> mode() {
        return Optional.empty();
    }

    /** Returns the mode of transactions, for a consumer of transactions; empty if all modes and consumers show it. */
    default Optional<TransactionMode> transactions() {
        return Optional.empty();
    }

    /** Returns the correction in the middle of each history. */
    default SimulatedCorrection.Kind correction() {
        return SimulatedCorrection.Kind.NONE;
    }

    /** The options of the engine; the judge goes by the given ones. */
    default SubscriberOptions options(SubscriberOptions options) {
        return options;
    }

    default ChangeStreamSource source(ChangeStreamSource source) {
        return source;
    }

    /** The storage itself, behind what the judge sees of the calls. */
    default PartitionStorage surviving(PartitionStorage storage) {
        return storage;
    }

    /** The engine's time; the judge goes by the true one. */
    default MonotonicTime time(MonotonicTime time) {
        return time;
    }

    /** Returns whether the consumers' target refuses lower epochs than it has seen. */
    default boolean fences() {
        return true;
    }

    default PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
        return storage;
    }

    default Consumer consumer(Consumer consumer, SimulatedProcess process) {
        return consumer;
    }
}
