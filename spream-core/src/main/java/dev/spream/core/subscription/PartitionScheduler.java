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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims partitions as soon as the gate lets them through: at once when this worker has changed the lineage, otherwise at
 * every discovery interval. Confined to the thread that runs the subscription.
 */
final class PartitionScheduler {

    /** Starts to read a partition that was acquired by a request sent at that time. */
    interface Starter {
        void start(PartitionLease lease, long requestedAt);
    }

    private final EngineContext context;
    private final Predicate<PartitionToken> isRead;
    private final Starter starter;
    private volatile @Nullable Instant lowWatermark;

    /**
     * A scheduler.
     *
     * @param isRead whether this worker still has a reader for the partition, be its lease lost
     */
    PartitionScheduler(EngineContext context, Predicate<PartitionToken> isRead, Starter starter) {
        this.context = context;
        this.isRead = isRead;
        this.starter = starter;
    }

    /** Claims partitions until the subscription is completed, which it returns true for, or nobody wants it any more. */
    boolean run(BooleanSupplier wanted) throws InterruptedException {
        while (wanted.getAsBoolean()) {
            Lineage lineage = context.storageCalls()
                    .repeat(
                            "reading the lineage",
                            wanted,
                            () -> context.storage().lineage());
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

    private void noteLowWatermark(Lineage lineage) {
        lineage.lowWatermark().ifPresent(watermark -> {
            lowWatermark = watermark;
            context.listener().tell(listener -> listener.lowWatermark(watermark));
        });
    }

    /** An empty lineage is one that clean-up has emptied: the subscription was opened with its root. */
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
        List<PartitionClaim> claims = lineage.acquirable().stream()
                .filter(partition -> !isRead.test(partition.token()))
                .map(PartitionClaim::of)
                .toList();
        if (claims.isEmpty()) {
            return;
        }
        Acquired acquired = context.storageCalls().repeat("acquiring partitions", wanted, () -> acquire(claims));
        acquired.leases().forEach(lease -> starter.start(lease, acquired.requestedAt()));
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
