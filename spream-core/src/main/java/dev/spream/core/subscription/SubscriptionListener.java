package dev.spream.core.subscription;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens in a subscription: the port for metrics, traces and progress. Called on the engine's threads, by
 * many at once; an implementation must be quick and safe for that. What it throws is logged and goes no further.
 */
public interface SubscriptionListener {

    /** The way in which a change was settled. */
    enum Outcome {
        CONSUMED,
        SKIPPED,
        DEAD_LETTERED
    }

    /**
     * The subscription is open in the storage, and this worker begins to claim partitions; told once in a run, before anything
     * else but {@link #storageRetrying}, and {@link #waitingForStart}, {@link #reconnecting} and {@link #reconnected} of a first
     * run.
     *
     * @param subscription to look at, until {@link #ended} and after
     */
    default void started(SubscriptionView subscription) {}

    /** The start of a new subscription is in the future by the server's clock; nothing is read or stored before. Told once. */
    default void waitingForStart(Instant start) {}

    /** The run that {@linkplain #started started} has ended, however it did; the last that is told of it. */
    default void ended() {}

    /** This worker acquired the partition and starts to read it, from the watermark. */
    default void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {}

    /** The partition returned children, and they are stored. Told again when the partition is read again. */
    default void childrenDiscovered(PartitionToken partition, ChildPartitionsRecord children) {}

    /** The partition is read to its end and everything of it is settled. */
    default void partitionFinished(PartitionToken partition, PartitionEnd proof) {}

    /** This worker gave the partition back before its end. */
    default void partitionReleased(PartitionToken partition) {}

    /** Another worker owns the partition now, or may: nothing of it is dispatched, read or written here any more. */
    default void leaseLost(PartitionToken partition, long epoch) {}

    /** The stream of a partition broke or ended without proof; it is queried again after the delay. */
    default void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {}

    /**
     * The stream of a partition, which had broken, brings records again; or the first query of a new subscription, which had
     * failed, is answered, if only by the word that its start is in the future.
     */
    default void reconnected(PartitionToken partition) {}

    /** A change was read that this process has already dispatched, as happens after a reconnect; it was dropped. */
    default void duplicateDropped(PartitionToken partition, DataChangeRecord change) {}

    /**
     * Changes of the partition were lost to the stream's retention period, and the loss was accepted, as the options say.
     * What is missing is a gap of the stored partition as well.
     */
    default void gapAccepted(PartitionToken partition, PartitionGap gap) {}

    /**
     * Partitions wait because as many are read as may be. Told when their number changes; zero when none waits any more.
     *
     * @param oldestWatermark of those that wait; null if none does
     */
    default void partitionsWaiting(int count, @Nullable Instant oldestWatermark) {}

    /** A change was handed to the consumer for the first time or again. */
    default void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {}

    /** A call of the consumer took longer than it may, and was interrupted. It may not have ended yet. */
    default void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {}

    /** The consumer refused a change. */
    default void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {}

    /** A change is settled. The time is that of the last attempt. */
    default void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {}

    /** Watermarks were stored, those of all partitions that moved, in one call to the storage. */
    default void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {}

    /** The low watermark of the subscription, over all workers, as last read from the storage. */
    default void lowWatermark(Instant lowWatermark) {}

    /** The storage failed in a way that may pass; the call is repeated. */
    default void storageRetrying(String operation, Throwable cause) {}
}
