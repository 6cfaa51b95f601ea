package dev.spream.core.subscription;

import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on behind changes that were lost to the stream's retention period, where the user chose so. The loss is stored as a
 * gap of the partition before anything after it is read. Confined to the reader's thread.
 *
 * <p>A partition that expired as a whole took the names of its children with it. The partitions that live where the stream
 * begins now are found by the initial query, and take its place: what they carry from there on is all that is left of its
 * keys. Those that are stored already stay as they are.
 */
final class LossAcceptance {
    private static final Logger log = LoggerFactory.getLogger(LossAcceptance.class);
    private static final int MARGIN_PER_RETENTION = 1_000;
    private static final Duration MAX_MARGIN = Duration.ofMinutes(1);

    private final EngineContext context;
    private final HeldPartition partition;
    private final WatermarkWriter watermarks;
    private final Optional<Instant> endTimestamp;
    private final BooleanSupplier isActive;

    LossAcceptance(
            EngineContext context,
            HeldPartition partition,
            WatermarkWriter watermarks,
            Optional<Instant> endTimestamp,
            BooleanSupplier isActive) {
        this.context = context;
        this.partition = partition;
        this.watermarks = watermarks;
        this.endTimestamp = endTimestamp;
        this.isActive = isActive;
    }

    /**
     * Accepts that the partition's changes from its watermark to where the stream begins now are lost. Everything that was
     * read is settled.
     *
     * @return where reading goes on; empty if the lease was lost
     * @throws SubscriptionException if it cannot be known where the stream begins
     */
    Optional<Instant> acceptGap(SourceException cause) throws InterruptedException {
        watermarks.persist(List.of(partition), isActive);
        PartitionGap gap = gap(cause);
        boolean held = context.storageCalls()
                .repeat("accepting a gap", isActive, () -> context.storage().acceptGap(partition.lease(), gap));
        if (!held) {
            partition.lose();
            return Optional.empty();
        }
        partition.tracker().mark(gap.to());
        partition.persisted(gap.to());
        log.error(
                "[{}] changes from {} to {} are lost to the retention period, and the loss is accepted, as configured; reading goes on from there",
                context.label(partition.token()),
                gap.from(),
                gap.to());
        context.listener().tell(listener -> listener.gapAccepted(partition.token(), gap));
        return Optional.of(gap.to());
    }

    private PartitionGap gap(SourceException cause) {
        Instant watermark = partition.tracker().watermark();
        Duration retention = context.source()
                .retention()
                .orElseThrow(() -> new SubscriptionException(
                        "[%s] changes from %s on are lost to the retention period, and the server does not say how long that is; nothing was passed over. Declare a retention_period for the change stream, or start a new subscription at a later time"
                                .formatted(context.label(partition.token()), watermark),
                        cause));
        Duration margin = retention.dividedBy(MARGIN_PER_RETENTION);
        Instant beginning = context.source()
                .serverTime()
                .minus(retention)
                .plus(margin.compareTo(MAX_MARGIN) < 0 ? margin : MAX_MARGIN);
        if (!beginning.isAfter(watermark)) {
            throw new SubscriptionException(
                    "[%s] the server says that changes from %s on are lost, which is within the retention period of %s: the stream may have been created later; nothing was passed over. Start a new subscription at a later time"
                            .formatted(context.label(partition.token()), watermark, retention),
                    cause);
        }
        return new PartitionGap(watermark, beginning);
    }

    /**
     * Puts the partitions that live at that time in the place of the partition, which expired as a whole.
     *
     * @return the proof to finish it with; empty if the lease was lost or the reader has to stop
     * @throws SourceException if the query for them failed; asking again does no harm
     */
    Optional<EndProof> replaceExpired(Instant at) throws InterruptedException {
        List<ChildPartition> living = isPastEnd(at) ? List.of() : livingAt(at);
        if (!living.isEmpty()) {
            ChildPartitionsRecord inItsPlace = new ChildPartitionsRecord(at, "", living);
            boolean held = context.storageCalls()
                    .repeat(
                            "adding partitions in the place of an expired one",
                            isActive,
                            () -> context.storage().addChildren(partition.lease(), inItsPlace));
            if (!held) {
                partition.lose();
                return Optional.empty();
            }
            context.partitionsChanged().raise();
            context.listener().tell(listener -> listener.childrenDiscovered(partition.token(), inItsPlace));
        }
        List<PartitionToken> children =
                living.stream().map(child -> new PartitionToken(child.token())).toList();
        return isActive.getAsBoolean()
                ? Optional.of(new EndProof(EndProof.Kind.RETENTION_LOST, at, children))
                : Optional.empty();
    }

    private boolean isPastEnd(Instant at) {
        return endTimestamp.filter(at::isAfter).isPresent();
    }

    private List<ChildPartition> livingAt(Instant at) throws InterruptedException {
        PartitionQuery initial = new PartitionQuery(
                PartitionToken.ROOT, at, endTimestamp, context.options().heartbeatInterval());
        List<ChildPartition> living = new ArrayList<>();
        try (ChangeStreamCursor cursor = context.source().query(initial)) {
            Optional<ChangeRecord> next = cursor.next();
            while (next.isPresent()) {
                if (next.get() instanceof ChildPartitionsRecord record) {
                    record.childPartitions()
                            .forEach(child -> living.add(ChildPartition.of(
                                    child.token(), List.of(partition.token().value()))));
                }
                next = cursor.next();
            }
        }
        return living;
    }
}
