package dev.spream.core.subscription;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.MoveIn;
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
 * Receives the events of a subscription: the port for metrics, traces and progress. Called on the engine's threads,
 * by many at once; an implementation must be fast and thread-safe. Its exceptions are logged and have no other
 * effect.
 */
public interface SubscriptionListener {

    /** The way in which a change was settled. */
    enum Outcome {
        CONSUMED,
        SKIPPED,
        DEAD_LETTERED
    }

    /**
     * The subscription is open in the storage, and this worker begins to claim partitions; called once in a run,
     * before all other methods except {@link #storageRetrying}, and {@link #waitingForStart}, {@link #reconnecting}
     * and {@link #reconnected} of a first run.
     *
     * @param subscription a view of it, usable until {@link #ended} and after
     */
    default void started(SubscriptionView subscription) {}

    /**
     * The start of a new subscription is in the future by the server's clock; nothing is read or stored before.
     * Called once.
     */
    default void waitingForStart(Instant start) {}

    /** The run that {@linkplain #started started} has ended, for whatever reason; the last call of a run. */
    default void ended() {}

    /** This worker acquired the partition and starts to read it, from the watermark. */
    default void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {}

    /** The partition returned children, and they are stored. Called again when the partition is read again. */
    default void childrenDiscovered(PartitionToken partition, ChildPartitionsRecord children) {}

    /** The partition is read to its end and everything of it is settled. */
    default void partitionFinished(PartitionToken partition, PartitionEnd proof) {}

    /** This worker released the partition before its end. */
    default void partitionReleased(PartitionToken partition) {}

    /**
     * The lease of the partition is lost: another worker owns it, or may. This worker stops reading it, and delivers
     * and writes nothing more of it.
     */
    default void leaseLost(PartitionToken partition, long epoch) {}

    /**
     * The stream of a partition broke, or ended without a proof of the partition's end; it is queried again after the
     * delay.
     */
    default void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {}

    /**
     * The broken stream of a partition returns records again; or the first query of a new subscription, which had
     * failed, is answered, even if with the error that its start is in the future.
     */
    default void reconnected(PartitionToken partition) {}

    /** A change was read that this process has already dispatched, as happens after a reconnect; it was dropped. */
    default void duplicateDropped(PartitionToken partition, DataChangeRecord change) {}

    /**
     * Changes of the partition were lost to the stream's retention period, and the loss was accepted, as configured.
     * It is stored as a gap of the partition as well.
     */
    default void gapAccepted(PartitionToken partition, PartitionGap gap) {}

    /**
     * Partitions wait because the limit of open partitions is reached. Called when their number changes; zero when
     * none waits any more.
     *
     * @param oldestWatermark the oldest watermark of those that wait; null if none waits
     */
    default void partitionsWaiting(int count, @Nullable Instant oldestWatermark) {}

    /**
     * The changes of a partition wait for partitions that key ranges came from, in a stream with mutable key ranges; the
     * wait is stored.
     */
    default void waitingForMoveIn(PartitionToken partition, MoveIn moveIn) {}

    /**
     * A wait that was {@linkplain #waitingForMoveIn reported} is over, or another one of the partition was stored in its
     * place; then it is reported again, if it still lasts.
     *
     * @param waited the time since the event was read
     */
    default void moveInSettled(PartitionToken partition, MoveIn moveIn, Duration waited) {}

    /**
     * Partitions that no worker has wait for partitions that key ranges came from, as last read from the storage: their
     * move-ins. Called when they change; empty when none waits any more. Those of a worker are {@linkplain #waitingForMoveIn
     * reported} by it.
     */
    default void unclaimedWaitingForMoveIn(Map<PartitionToken, MoveIn> waiting) {}

    /** A change was handed to the consumer for the first time or again. */
    default void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {}

    /** A call of the consumer exceeded its time limit and was interrupted. It may not have ended yet. */
    default void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {}

    /** The consumer failed on a change. */
    default void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {}

    /** A change is settled. The time is that of the last attempt. */
    default void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {}

    /**
     * A transaction of which changes are missing is settled, where whole transactions are delivered. Called after {@link
     * #settled} for each of its changes.
     */
    default void incompleteSettled(String serverTransactionId, Instant commitTimestamp, MissingChanges missing) {}

    /** Watermarks were stored, those of all partitions that moved, in one call to the storage. */
    default void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {}

    /** The low watermark of the subscription, over all workers, as far as this worker knows it. */
    default void lowWatermark(Instant lowWatermark) {}

    /** The storage failed with a retryable error; the call is repeated. */
    default void storageRetrying(String operation, Throwable cause) {}
}
