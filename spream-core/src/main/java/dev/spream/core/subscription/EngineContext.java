package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.ChangeStreamSource;
import java.util.random.RandomGenerator;

/**
 * What the parts of one running subscription share.
 *
 * @param worker this worker, in the storage
 * @param random for jitter
 * @param storageCalls repeats calls to the storage that failed in a way that may pass
 * @param partitionsChanged raised when a partition may have become acquirable
 */
record EngineContext(
        ChangeStreamSource source,
        PartitionStorage storage,
        StorageCalls storageCalls,
        SubscriberOptions options,
        WorkerId worker,
        SafeListener listener,
        EngineTime time,
        RandomGenerator random,
        Alarm partitionsChanged) {

    /** How a partition is named at the start of log lines and messages. */
    String label(PartitionToken token) {
        return source.streamName() + "/" + token.abbreviated();
    }

    /** The name of a thread that does something for a partition. */
    String threadName(String role, PartitionToken token) {
        return "spream-" + source.streamName() + "-" + role + "-" + token.abbreviated();
    }
}
