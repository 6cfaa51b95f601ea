package dev.spream.core.subscription;

import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.LivingPartitions;
import dev.spream.core.subscription.reading.PartitionReading;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.StreamEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles changes lost to the stream's retention period: continues after them, if configured so. The loss is stored as
 * a gap of the partition before anything after it is read. Confined to the reader's thread; called when everything that
 * was read is settled.
 *
 * <p>If a whole partition expired, the tokens of its children are lost with it. The initial query finds the partitions
 * that are live where the stream begins now, and they replace it: their changes are all that is left of its keys.
 * Partitions that are stored already are not changed. The time of that query is the end of the stored gap, so a
 * repetition after a crash finds the same partitions.
 *
 * <p>Tokens do not reveal keys, so a partition that is found may be the child of another stored one, whose position is near
 * the start of the retention period. So the query waits until all others have settled everything before its time, and
 * named their children with an earlier start.
 *
 * <p>Not guaranteed in a stream with immutable key ranges: the order after a partition that continues the expired one and
 * ended in the margin of the gap; and with whole transactions, that the query waits: a change of another partition may need
 * one of a partition that continues the expired one. A child that is found too early starts at the end of the gap, and does
 * not wait for its parent.
 */
record RetentionLossHandler(
        EngineContext context,
        HeldPartition partition,
        RecordReceiver receiver,
        PartitionReading reading,
        WatermarkWriter watermarks,
        QueryWindow window,
        BooleanSupplier isActive) {
    private static final Logger log = LoggerFactory.getLogger(RetentionLossHandler.class);
    static final int MARGIN_PER_RETENTION = 1_000;
    private static final Duration MAX_MARGIN = Duration.ofMinutes(1);

    /** @throws SubscriptionException unless the options accept losses */
    void requireAccepted(SourceException cause) {
        Instant watermark = partition.watermark();
        if (context.options().retentionLoss() == RetentionLoss.STOP) {
            if (partition.token().isRoot()) {
                throw new SubscriptionException(
                        "[%s] the subscription starts at %s, which is before the stream's retention period, or before the stream was created: %s; nothing was read. Start a new subscription at a later time, under another name since this one keeps its start, or set retentionLoss to ACCEPT_GAP (retention-loss=accept-gap) to begin with the first changes that the stream still has"
                                .formatted(context.label(partition.token()), watermark, cause.getMessage()),
                        cause);
            }
            throw new SubscriptionException(
                    "[%s] changes from %s on are lost to the stream's retention period: %s; no change was skipped, the watermark stays at %s, and the subscription stops. Set retentionLoss to ACCEPT_GAP (retention-loss=accept-gap) to record the loss and continue after it, or start a new subscription at a later time"
                            .formatted(
                                    context.label(partition.token()),
                                    reading.position(),
                                    cause.getMessage(),
                                    watermark),
                    cause);
        }
    }

    /**
     * Returns the period in which no further change of the partition will be read.
     *
     * @throws SubscriptionException if the begin of the stream cannot be determined
     * @throws SourceException if the server fails
     */
    PartitionGap loss(SourceException cause) {
        return gap(context, partition.token(), reading.position(), cause);
    }

    /**
     * Accepts that the partition's changes up to where the stream begins now are lost, and lets the receiver continue
     * there.
     *
     * @return the proof to finish it with if nothing of a bounded subscription is left to be read; empty otherwise, and if
     *     the lease was lost
     * @throws SubscriptionException if the begin of the stream cannot be determined
     * @throws SourceException if the server fails; calling again is harmless
     */
    Optional<PartitionEnd> skipLost(SourceException cause) throws InterruptedException {
        return acceptGap(cause).filter(this::isPastEnd).map(at -> lost(at, List.of()));
    }

    /**
     * Accepts that the partition, which expired as a whole, is lost, and replaces it with the partitions that are
     * live where the stream begins now.
     *
     * @return the proof to finish it with; empty if the lease was lost, the reader has to stop, or has to try again
     * @throws SubscriptionException if the begin of the stream cannot be determined
     * @throws SourceException if the server fails; calling again is harmless
     */
    Optional<PartitionEnd> replaceExpired(SourceException cause) throws InterruptedException {
        Optional<Instant> accepted = acceptedBefore();
        if (!isActive.getAsBoolean()) {
            return Optional.empty();
        }
        Optional<Instant> beginning = accepted.isPresent() ? accepted : acceptGap(cause);
        if (beginning.isEmpty()) {
            return Optional.empty();
        }
        Instant at = beginning.get();
        if (isPastEnd(at)) {
            return Optional.of(lost(at, List.of()));
        }
        if (window.isMutable() || receiver.settlesAlone()) {
            receiver.readUpTo(at);
            if (!receiver.awaitOthers(at)) {
                return Optional.empty();
            }
        }
        List<ChildPartition> living = new ArrayList<>();
        return switch (reading.run(initialQuery(at), record -> collect(record, living))) {
            case StreamEnd.Ok ok -> replaceBy(living, at);
            case StreamEnd.Broken broken -> askAgain(broken.cause());
            case StreamEnd.Stopped stopped -> Optional.empty();
        };
    }

    /**
     * Returns the end of a gap that an earlier reader accepted, if nothing was read after it. Without a row, another worker
     * has finished the partition.
     */
    private Optional<Instant> acceptedBefore() throws InterruptedException {
        Instant watermark = partition.watermark();
        Optional<PartitionMetadata> stored = context.storageCalls()
                .repeat("looking for accepted gaps", partition.token(), isActive, PartitionStorage::lineage)
                .partition(partition.token());
        if (stored.isEmpty()) {
            partition.revoke();
        }
        return stored.map(PartitionMetadata::gaps).orElse(List.of()).stream()
                .map(PartitionGap::to)
                .filter(watermark::equals)
                .findFirst();
    }

    /** Accepts the gap; returns the time at which reading continues, or empty if the lease was lost. */
    private Optional<Instant> acceptGap(SourceException cause) throws InterruptedException {
        watermarks.persist(partition, isActive);
        PartitionGap gap = gap(context, partition.token(), partition.watermark(), cause);
        boolean held = context.storageCalls()
                .repeat(
                        "accepting a gap",
                        partition.token(),
                        isActive,
                        storage -> storage.acceptGap(partition.lease(), gap));
        if (!held) {
            partition.revoke();
            return Optional.empty();
        }
        receiver.accepted(gap);
        reading.skipTo(gap.to());
        partition.skipped(gap);
        log.error(
                "[{}] changes from {} to {} are lost to the retention period, and the loss is accepted, as configured; reading continues from there",
                context.label(partition.token()),
                gap.from(),
                gap.to());
        context.listener().publish(listener -> listener.gapAccepted(partition.token(), gap));
        return Optional.of(gap.to());
    }

    /**
     * Returns the loss, from the watermark to a margin after the begin of the stream by the server's time, so that the
     * stream does not begin later than the next query. A loss reported inside the margin is not due to the retention
     * period: accepting it would produce gap after gap.
     */
    static PartitionGap gap(EngineContext context, PartitionToken token, Instant watermark, SourceException cause) {
        Duration retention = context.source()
                .retention()
                .orElseThrow(() -> new SubscriptionException(
                        "[%s] changes from %s on are lost to the retention period, whose length the server does not report; no change was skipped. Declare a retention_period for the change stream, or start a new subscription at a later time"
                                .formatted(context.label(token), watermark),
                        cause));
        Duration share = retention.dividedBy(MARGIN_PER_RETENTION);
        Duration margin = share.compareTo(MAX_MARGIN) < 0 ? share : MAX_MARGIN;
        Instant edge = context.source().serverTime().minus(retention);
        if (watermark.isAfter(edge.plus(margin.dividedBy(2)))) {
            throw new SubscriptionException(
                    "[%s] the server reports that changes from %s on are lost, although they are within the retention period of %s; the stream may have been created later than that. No change was skipped, and the subscription stops. Start a new subscription at a later time"
                            .formatted(context.label(token), watermark, DurationText.of(retention)),
                    cause);
        }
        return new PartitionGap(watermark, edge.plus(margin));
    }

    private boolean isPastEnd(Instant at) {
        return window.endTimestamp().filter(at::isAfter).isPresent();
    }

    private PartitionQuery initialQuery(Instant at) {
        return new PartitionQuery(
                PartitionToken.ROOT, at, window.endOf(at), context.options().heartbeatInterval());
    }

    private boolean collect(ChangeRecord record, List<ChildPartition> living) {
        for (String token : LivingPartitions.of(record)) {
            living.add(ChildPartition.of(token, List.of(partition.token().value())));
        }
        return true;
    }

    private Optional<PartitionEnd> replaceBy(List<ChildPartition> living, Instant at) throws InterruptedException {
        if (living.isEmpty()) {
            throw new SourceException(
                    SourceException.Kind.TRANSIENT, "the initial query ended without any partition", null);
        }
        ChildPartitionsRecord inItsPlace = new ChildPartitionsRecord(at, "", living);
        if (!receiver.isStored(inItsPlace, "adding partitions in the place of an expired one")) {
            return Optional.empty();
        }
        context.listener().publish(listener -> listener.childrenDiscovered(partition.token(), inItsPlace));
        return Optional.of(lost(
                at,
                living.stream().map(child -> new PartitionToken(child.token())).toList()));
    }

    /** Extends the gap if the retention period has passed its end meanwhile. */
    private Optional<PartitionEnd> askAgain(SourceException failure) throws InterruptedException {
        if (failure.kind() != SourceException.Kind.RETENTION_LOST) {
            throw failure;
        }
        return skipLost(failure);
    }

    private static PartitionEnd lost(Instant at, List<PartitionToken> children) {
        return new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, at, children);
    }
}
