package dev.spream.core.subscription;

import dev.spream.core.internal.TaskGroup;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.GapEndWait;
import dev.spream.core.subscription.reading.PartitionReading;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.ReadPosition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition from its watermark to its proven end, on a virtual thread of its own. {@link #handOver}, {@link
 * #stop} and {@link #cancel} may be called from any thread.
 *
 * <p>At the end, the reader waits until everything is settled, the consumer is flushed, and the last watermark is stored
 * together with FINISHED.
 */
final class PartitionReader {
    private static final Logger log = LoggerFactory.getLogger(PartitionReader.class);

    private final EngineContext context;
    private final HeldPartition partition;
    private final ChangeDispatcher dispatcher;
    private final WatermarkWriter watermarks;
    private final OrderGate gate;
    private final GapEndWait gapEnd;
    private final String label;
    private final PartitionReading reading;
    private final RetentionLossHandler losses;
    private final long openedAt;
    private final boolean isMutable;
    private boolean mayFollowGap; // written before it runs
    private volatile OptionalLong handingOverSince = OptionalLong.empty();
    private volatile @Nullable PendingLanes pendingAtEnd; // set once it is read to its end
    private volatile boolean endedItself; // and not at the end of what is read for now; written before pendingAtEnd
    private volatile boolean stopRequested;
    private volatile boolean ended;
    private volatile boolean begun; // it is known whether it begins at the end of a gap

    PartitionReader(
            EngineContext context,
            HeldPartition partition,
            ChangeDispatcher dispatcher,
            WatermarkWriter watermarks,
            QueryWindow window,
            Function<PartitionToken, Optional<PartitionReader>> readers,
            TaskGroup.Task reloadParkedKeys) {
        this.context = context;
        this.partition = partition;
        this.dispatcher = dispatcher;
        this.watermarks = watermarks;
        this.gate = new OrderGate(
                context, partition, dispatcher, readers, this::isReading, this::isActive, reloadParkedKeys);
        this.label = context.label(partition.token());
        this.gapEnd = new GapEndWait(
                partition.token(),
                label,
                this::isReading,
                () -> context.partitionsChanged().signal(),
                context.options().watermarkInterval(),
                context.time());
        this.openedAt = context.time().nanoTime();
        this.isMutable = window.isMutable();
        RecordReceiver receiver = new RecordReceiver(context, partition, dispatcher, gate, gapEnd, this::isActive);
        this.reading = new PartitionReading(
                context.source(),
                partition.token(),
                label,
                new ReadPosition(
                        partition.lease().watermark(),
                        partition.lease().moveOuts().map(MoveOuts::recordSequence)),
                window,
                context.querySettings(),
                context.time(),
                RetryingStorageCalls.backoff(context.random()),
                receiver,
                this::acceptLoss,
                this::isReading);
        this.losses =
                new RetentionLossHandler(context, partition, receiver, reading, watermarks, window, this::isActive);
        partition.onLost(this::stopForLostLease);
    }

    /** Reads until the end, or until it is stopped. Returns when nothing more of this partition will be dispatched. */
    void run() throws InterruptedException {
        if (!context.storageCalls()
                .repeat(
                        "starting a partition",
                        partition.token(),
                        this::isActive,
                        storage -> storage.markRunning(partition.lease()))) {
            partition.revoke();
            return;
        }
        log.info(
                "[{}] reading from {} (epoch {})",
                label,
                reading.position(),
                partition.lease().epoch());
        context.listener()
                .publish(listener -> listener.partitionAcquired(
                        partition.token(),
                        partition.lease().epoch(),
                        partition.lease().watermark()));
        if (followsGap()) {
            reading.startAfterGap();
        }
        begun = true;
        Optional<PartitionEnd> proof = reading.readToEnd();
        if (proof.isPresent()) {
            endedItself = proof.get().kind() != PartitionEnd.Kind.BOUNDED_END;
            pendingAtEnd = dispatcher.pending();
            dispatcher.readToEnd();
            context.partitionsChanged().signal(); // its children may be read ahead
        }
        boolean settled = isActive() && dispatcher.awaitSettled();
        if (settled && proof.isPresent() && gate.awaitOver() && partition.isHeld()) {
            finish(proof.get());
        }
    }

    /** Begins with the lineage in which the partition was acquired, ahead of those parents. */
    void follow(List<PartitionToken> unfinishedParents, Lineage lineage) {
        mayFollowGap = isMutable
                && lineage.partition(partition.token())
                        .filter(stored ->
                                stored.watermark().equals(partition.lease().watermark()))
                        .filter(stored -> !isAtGapEnd(stored))
                        .isEmpty();
        gate.follow(unfinishedParents, lineage);
        gapEnd.observe(lineage);
    }

    /** Returns whether a gap ends at the watermark; the partition may have been acquired at a later one than was known. */
    private boolean followsGap() throws InterruptedException {
        return mayFollowGap
                && context.storageCalls()
                        .repeat(
                                "looking for accepted gaps",
                                partition.token(),
                                this::isActive,
                                PartitionStorage::frontier)
                        .partition(partition.token())
                        .filter(PartitionReader::isAtGapEnd)
                        .isPresent();
    }

    private static boolean isAtGapEnd(PartitionMetadata stored) {
        return stored.discoveredUntil().isBefore(stored.watermark());
    }

    /** Takes a lineage that was just read. */
    void observe(Lineage lineage) {
        gate.observe(lineage);
        gapEnd.observe(lineage);
    }

    /** Returns whether its thread waits for partitions that are read elsewhere, or not at all. */
    boolean isBlocked() {
        return gate.isBlocked() || gapEnd.isWaiting();
    }

    /** Returns whether it waits until all others were read up to some time. */
    boolean awaitsAll() {
        return gapEnd.isWaiting();
    }

    /** Returns the time before which every partition that this one names is stored; empty if that is not known. */
    Optional<Instant> discoveredUntil() {
        return begun ? reading.discoveredUntil() : Optional.empty();
    }

    private Optional<PartitionEnd> acceptLoss(SourceException failure, boolean expired) throws InterruptedException {
        losses.requireAccepted(failure);
        dispatcher.lost(() -> losses.loss(failure));
        if (!dispatcher.awaitSettled() || !gate.awaitOver() || !isActive()) {
            return Optional.empty();
        }
        return expired ? losses.replaceExpired(failure) : losses.skipLost(failure);
    }

    private void finish(PartitionEnd proof) throws InterruptedException {
        if (!watermarks.finish(partition, proof, this::isActive)) {
            partition.revoke();
            return;
        }
        log.info("[{}] finished at {} by {}", label, proof.at(), proof.kind());
        context.listener().publish(listener -> listener.partitionFinished(partition.token(), proof));
    }

    /**
     * Returns whether the partition is still to be read or finished; once false, it stays false. A dispatcher that
     * stopped because of a failed delivery has taken one record less than was read.
     */
    boolean isActive() {
        return !stopRequested && !dispatcher.isStopping() && partition.isHeld();
    }

    private boolean isReading() {
        return isActive() && !isHandingOver();
    }

    private void stopForLostLease() {
        log.warn(
                "[{}] the lease of epoch {} is lost: this worker stops reading the partition and delivers and writes nothing more of it; the partition is read again from its stored watermark when a worker claims it",
                label,
                partition.lease().epoch());
        context.listener()
                .publish(listener ->
                        listener.leaseLost(partition.token(), partition.lease().epoch()));
        stop();
    }

    void cancelIfStalled() {
        reading.cancelIfStalled();
    }

    /**
     * Stops reading and lets all changes in flight settle; then {@link #run} returns, and the partition can be
     * released. A partition that reaches its end meanwhile is finished.
     */
    void handOver() {
        if (!isHandingOver()) {
            handingOverSince = OptionalLong.of(context.time().nanoTime());
        }
        reading.close();
        wake();
    }

    boolean isHandingOver() {
        return handingOverSince.isPresent();
    }

    /**
     * Returns the start of the hand-over, on the engine's monotonic clock; empty if the partition is not being handed
     * over.
     */
    OptionalLong handingOverSince() {
        return handingOverSince;
    }

    /** Returns the time when the reader was created, on the engine's monotonic clock. */
    long openedAt() {
        return openedAt;
    }

    /** Stops reading and dispatching; a started record may finish. */
    void stop() {
        stopRequested = true;
        dispatcher.stop();
        reading.close();
        wake();
    }

    /** Stops, and interrupts the started record. */
    void cancel() {
        dispatcher.cancel();
        stop();
    }

    void ended() {
        ended = true;
    }

    /** Returns whether neither its thread nor a call of the consumer is under way. */
    boolean isIdle() {
        return ended && dispatcher.isIdle();
    }

    /** Returns the departure of keys to that partition at that time; empty if it was not read, or may not be relied on. */
    Optional<OrderGate.Departure> departure(PartitionToken destination, Instant at) {
        return isReading()
                ? partition
                        .moveOuts()
                        .pendingBefore(at, destination)
                        .flatMap(pending -> gate.departure(at, destination, pending))
                : Optional.empty();
    }

    /** Returns the departure of all keys at the end; empty if that was not read, or may not be relied on. */
    Optional<OrderGate.Departure> departureAtEnd(PartitionToken child) {
        PendingLanes pending = pendingAtEnd;
        return pending != null && endedItself && isActive()
                ? gate.departure(Instant.MAX, child, pending)
                : Optional.empty();
    }

    /** Returns whether no query is open or about to be. */
    boolean isReadToEnd() {
        return pendingAtEnd != null;
    }

    OrderGate gate() {
        return gate;
    }

    void wake() {
        gate.wake();
        gapEnd.wake();
    }

    HeldPartition partition() {
        return partition;
    }

    ChangeDispatcher dispatcher() {
        return dispatcher;
    }
}
