package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;

import dev.spream.core.consume.Consumer;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.inflight.Budget;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The parts of the engine around one partition, {@code p}, acquired and not read yet; without a subscriber, so that a test
 * decides what happens between them.
 */
final class OnePartition {
    private static final PartitionToken TOKEN = new PartitionToken("p");
    private static final Duration LEASE_TIME = Duration.ofMinutes(10);

    final ScriptedSource source = new ScriptedSource();
    final PartitionStorage storage = new InMemoryPartitionStorage();
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final Budget budget;
    final HeldPartition partition;
    final ConsumerCalls calls;
    final DeliveryStrategy path;
    final RecordDispatcher dispatcher;

    private final EngineContext context;
    private final WatermarkWriter watermarks;

    OnePartition(SubscriberOptions options, Consumer consumer) {
        MonotonicTime time = MonotonicTime.SYSTEM;
        context = EngineContext.of(
                source, storage, options.toBuilder().worker(new WorkerId("ann")).build(), time, new Random(1), true);
        partition = new HeldPartition(
                lease(),
                new InflightTracker("Orders/p", options.maxInflight(), START),
                LocalLease.requested(time, LEASE_TIME));
        budget = context.newBudget();
        calls = new ConsumerCalls(context, () -> Optional.of(START));
        path = DeliveryStrategy.of(context, consumer, calls, new ParkedKeys());
        dispatcher = new RecordDispatcher(
                context, partition, path, budget.open(), thrown -> failure.compareAndSet(null, thrown));
        watermarks = new WatermarkWriter(context, consumer);
    }

    private PartitionLease lease() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        PartitionLease root = acquire(PartitionToken.ROOT);
        storage.markRunning(root);
        storage.addChildren(root, new ChildPartitionsRecord(START, "0", List.of(ScriptedSource.child(TOKEN.value()))));
        storage.finish(root, START, PartitionEnd.childPartitions(START, List.of(TOKEN)));
        return acquire(TOKEN);
    }

    private PartitionLease acquire(PartitionToken token) {
        PartitionClaim claim = PartitionClaim.of(stored(token));
        return storage.acquire(context.worker(), List.of(claim), LEASE_TIME).getFirst();
    }

    PartitionReader reader() {
        return new PartitionReader(
                context,
                partition,
                dispatcher,
                watermarks,
                new QueryWindow(Optional.empty(), PartitionMode.IMMUTABLE_KEY_RANGE),
                token -> Optional.empty(),
                () -> {});
    }

    PartitionMetadata stored() {
        return stored(TOKEN);
    }

    private PartitionMetadata stored(PartitionToken token) {
        return storage.lineage().partition(token).orElseThrow();
    }
}
