package dev.spream.cli.http;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A view of a subscription from its storage alone, for a process that runs no worker of it. Safe for use by many
 * threads.
 */
final class StoredView implements SubscriptionView {
    private static final WorkerId NO_WORKER = new WorkerId("none");

    private final Supplier<PartitionStorage> storage;
    private volatile String streamName;
    private volatile Optional<Instant> lowWatermark = Optional.empty();

    /** @param storage opens the storage on the first call; fails if it cannot be opened yet */
    StoredView(String subscription, Supplier<PartitionStorage> storage) {
        this.streamName = subscription;
        this.storage = storage;
    }

    /** Returns the name of the stream, or of the subscription as long as nothing was read. */
    @Override
    public String streamName() {
        return streamName;
    }

    @Override
    public WorkerId worker() {
        return NO_WORKER;
    }

    @Override
    public List<PartitionProgress> held() {
        return List.of();
    }

    /** Returns the low watermark as last read. */
    @Override
    public Optional<Instant> lowWatermark() {
        return lowWatermark;
    }

    @Override
    public Optional<PartitionPosition> lagging() {
        return Optional.empty();
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        Optional<SubscriptionRecord> stored = storage.get().subscription();
        stored.ifPresent(record -> streamName = record.streamName());
        return stored;
    }

    @Override
    public Lineage lineage() {
        Lineage lineage = storage.get().lineage();
        lowWatermark = lineage.lowWatermark();
        return lineage;
    }

    @Override
    public List<WorkerRegistration> workers() {
        return storage.get().workers();
    }

    @Override
    public Optional<Duration> retention() {
        return Optional.empty();
    }
}
