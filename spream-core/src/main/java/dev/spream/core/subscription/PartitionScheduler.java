package dev.spream.core.subscription;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims partitions as soon as the gate lets them through: at once when this worker has changed the lineage, otherwise at
 * every discovery interval. Confined to the thread that runs the subscription.
 */
final class PartitionScheduler {
    private static final Logger log = LoggerFactory.getLogger(PartitionScheduler.class);

    /** What this worker reads. */
    interface Readers {
        /** Whether this worker still has a reader for the partition, be its lease lost. */
        boolean isRead(PartitionToken partition);

        /** How many partitions are read. */
        int open();

        /** Starts to read a partition that was acquired by a request sent at that time. */
        void start(PartitionLease lease, long requestedAt);
    }

    private final EngineContext context;
    private final Readers readers;
    private volatile List<PartitionMetadata> waiting = List.of();
    private volatile @Nullable Instant lowWatermark;

    PartitionScheduler(EngineContext context, Readers readers) {
        this.context = context;
        this.readers = readers;
    }

    /** Claims partitions until the subscription is completed, which it returns true for, or nobody wants it any more. */
    boolean run(BooleanSupplier wanted) throws InterruptedException {
        while (wanted.getAsBoolean()) {
            Lineage lineage = context.storageCalls()
                    .repeat(
                            "reading the lineage",
                            wanted,
                            () -> context.storage().frontier());
            noteLowWatermark(lineage);
            if (nothingUnfinished(lineage) && isCompleted(wanted)) {
                return true;
            }
            claim(lineage, wanted);
            context.partitionsChanged().await(context.options().partitionDiscoveryInterval());
        }
        return false;
    }

    /** Of the subscription, as last read from the storage. */
    Optional<Instant> lowWatermark() {
        return Optional.ofNullable(lowWatermark);
    }

    /** The partitions that could be read but for the limit, as last read from the storage, the oldest watermark first. */
    List<PartitionMetadata> waiting() {
        return waiting;
    }

    private void noteLowWatermark(Lineage lineage) {
        lineage.lowWatermark().ifPresent(watermark -> {
            lowWatermark = watermark;
            context.listener().tell(listener -> listener.lowWatermark(watermark));
        });
    }

    private static boolean nothingUnfinished(Lineage lineage) {
        return lineage.partitions().stream().allMatch(PartitionMetadata::isFinished);
    }

    private boolean isCompleted(BooleanSupplier wanted) throws InterruptedException {
        return context.storageCalls()
                .repeat(
                        "completing the subscription",
                        wanted,
                        () -> context.storage().completeIfAllFinished());
    }

    private void claim(Lineage lineage, BooleanSupplier wanted) throws InterruptedException {
        List<PartitionMetadata> free = lineage.acquirable().stream()
                .filter(partition -> !readers.isRead(partition.token()))
                .toList();
        int room = Math.max(0, context.maxOpenPartitions() - readers.open());
        noteWaiting(free.subList(Math.min(room, free.size()), free.size()));
        List<PartitionClaim> claims =
                free.stream().limit(room).map(PartitionClaim::of).toList();
        if (claims.isEmpty()) {
            return;
        }
        Acquired acquired = context.storageCalls().repeat("acquiring partitions", wanted, () -> acquire(claims));
        acquired.leases().forEach(lease -> readers.start(lease, acquired.requestedAt()));
    }

    /** Partitions over the limit, in the order in which they come next. */
    private void noteWaiting(List<PartitionMetadata> over) {
        int before = waiting.size();
        waiting = List.copyOf(over);
        if (over.size() == before) {
            return;
        }
        if (before == 0) {
            log.warn(
                    "[{}] {} partitions wait, the oldest since {}: {} are read, which is the limit. Raise maxOpenPartitions and what the source can carry, or add workers, before what they hold expires",
                    context.source().streamName(),
                    over.size(),
                    over.getFirst().watermark(),
                    context.maxOpenPartitions());
        }
        Instant oldest = over.isEmpty() ? null : over.getFirst().watermark();
        context.listener().tell(listener -> listener.partitionsWaiting(over.size(), oldest));
    }

    private Acquired acquire(List<PartitionClaim> claims) {
        long requestedAt = context.time().nanoTime();
        return new Acquired(
                requestedAt,
                context.storage()
                        .acquire(context.worker(), claims, context.options().leaseTime()));
    }

    private record Acquired(long requestedAt, List<PartitionLease> leases) {}
}
