package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionStorage;
import java.time.Duration;

/**
 * The fixture by which {@link PartitionStorageContract} knows a storage. It stands for one fresh, empty storage; it is
 * made for one test and closed after it. Timestamps are kept to the nanosecond by every storage: there is nothing to
 * declare.
 */
public interface PartitionStorageFixture extends AutoCloseable {

    /** The storage; the same instance each time. */
    PartitionStorage storage();

    /**
     * A second instance over the same state, as another process would have it; the same instance each time. A storage
     * that lives in one process returns {@link #storage()}.
     */
    PartitionStorage anotherConnection();

    /**
     * A storage of another subscription beside it, in the same database where the storage has one; the same instance each
     * time. A storage that lives in one process returns a fresh one.
     */
    PartitionStorage anotherSubscription();

    /**
     * Lets that much time pass for leases and worker registrations: by moving the storage's clock, or by moving the
     * stored times back.
     */
    void passTime(Duration time);

    /** Closes all instances and removes what they stored. */
    @Override
    void close();
}
