package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A read-only view of a running subscription, for health checks, gauges and pages. A {@link SubscriptionListener}
 * receives it when the subscription has started. Safe for use by many threads.
 *
 * <p>Values known to this worker cost nothing and never fail. Methods that ask the storage or the server state so;
 * frequent callers should cache their results. When the run has ended, no partition is held, and storage and source
 * may be closed.
 */
public interface SubscriptionView {

    /** Returns the change stream's name. */
    String streamName();

    /** Returns the id of this worker in the storage. */
    WorkerId worker();

    /** Returns the partitions that this worker reads, or has read and not released, in no particular order. */
    List<PartitionProgress> held();

    /**
     * Returns the low watermark, as far as this worker knows it: every change before it is settled, by whichever worker.
     */
    Optional<Instant> lowWatermark();

    /**
     * Returns the partition that holds back the others, as far as this worker knows: with whole transactions the one that
     * has been read least far, since no transaction after its position is known to be complete, or next in commit order;
     * otherwise the one with the earliest watermark of those that this worker reads. Empty if there is none.
     */
    Optional<PartitionPosition> lagging();

    /**
     * Returns the stored record of the subscription. Asks the storage.
     *
     * @throws StorageException if the storage fails
     */
    Optional<SubscriptionRecord> subscription();

    /**
     * Returns all partitions of the subscription, of all workers. Asks the storage.
     *
     * @throws StorageException if the storage fails
     */
    Lineage lineage();

    /**
     * Returns all workers that are registered. Asks the storage.
     *
     * @throws StorageException if the storage fails
     */
    List<WorkerRegistration> workers();

    /**
     * Returns how long the stream keeps its records; empty if the server does not report it. Asks the server.
     *
     * @throws SourceException if the server fails
     */
    Optional<Duration> retention();
}
