package dev.spream.core.subscription;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.TransactionAssembler;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The {@link SubscriptionView} of a {@link SubscriptionRun}.
 *
 * @param holding the partitions that it reads at the moment
 * @param latestLowWatermark as last read from the storage
 * @param transactions empty unless whole transactions are delivered
 */
record RunningSubscription(
        EngineContext context,
        Supplier<Collection<HeldPartition>> holding,
        Supplier<Optional<Instant>> latestLowWatermark,
        Optional<TransactionAssembler> transactions)
        implements SubscriptionView {

    @Override
    public String streamName() {
        return context.source().streamName();
    }

    @Override
    public WorkerId worker() {
        return context.worker();
    }

    @Override
    public List<PartitionProgress> held() {
        return holding.get().stream()
                .filter(partition -> !partition.isLeft())
                .map(partition -> new PartitionProgress(
                        partition.token(),
                        partition.lease().epoch(),
                        partition.watermark(),
                        partition.tracker().inFlight()))
                .toList();
    }

    @Override
    public Optional<Instant> lowWatermark() {
        return latestLowWatermark.get();
    }

    @Override
    public Optional<PartitionPosition> lagging() {
        return transactions.isPresent()
                ? transactions.get().lagging()
                : held().stream()
                        .map(partition -> new PartitionPosition(partition.token(), partition.watermark()))
                        .min(Comparator.comparing(PartitionPosition::timestamp));
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        return context.storage().subscription();
    }

    @Override
    public Lineage lineage() {
        return context.storage().lineage();
    }

    @Override
    public List<WorkerRegistration> workers() {
        return context.storage().workers();
    }

    @Override
    public Optional<Duration> retention() {
        return context.source().retention();
    }
}
