package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionStorage;
import java.time.Duration;

/**
 * A partition storage under test: one fresh, empty storage, created for one test and closed after it. Every storage
 * keeps timestamps to the nanosecond, so that no precision is declared.
 */
public interface PartitionStorageFixture extends AutoCloseable {

    /** Returns the storage; the same instance each time. */
    PartitionStorage storage();

    /**
     * Returns a second instance over the same state, as in another process; the same instance each time. A storage that
     * is limited to one process returns {@link #storage()}.
     */
    PartitionStorage anotherConnection();

    /**
     * Returns a storage of another subscription, in the same database where the storage has one; the same instance each
     * time. A storage that is limited to one process returns a fresh one.
     */
    PartitionStorage anotherSubscription();

    /**
     * Lets the given time pass for leases and worker registrations: by moving the storage's clock, or by moving the
     * stored times back.
     */
    void passTime(Duration time);

    /** Closes all instances and deletes their data. */
    @Override
    void close();
}
