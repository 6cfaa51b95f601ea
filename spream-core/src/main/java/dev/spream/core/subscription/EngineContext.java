package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.UserCalls;
import dev.spream.core.internal.Waiter;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.inflight.Budget;
import dev.spream.core.subscription.reading.LivingSearches;
import dev.spream.core.subscription.reading.QueryRunner;
import dev.spream.core.subscription.reading.QuerySettings;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * The services that the parts of one running subscription share.
 *
 * @param worker the id of this worker in the storage
 * @param random for jitter
 * @param storageCalls repeats calls to the storage after retryable failures
 * @param partitionsChanged signalled when a partition may have become claimable
 * @param watermarksDue signalled when a watermark is to be stored before the end of its interval
 * @param livingSearches the searches of its partitions at the ends of gaps
 * @param userCalls makes calls of user code other than the consumer's
 * @param readsAhead whether a partition may be read ahead of others in this process that its keys came from; never
 *     without an order, which would not hold the changes of those keys back
 */
record EngineContext(
        ChangeStreamSource source,
        PartitionStorage storage,
        RetryingStorageCalls storageCalls,
        SubscriberOptions options,
        WorkerId worker,
        SafeListeners<SubscriptionListener> listener,
        MonotonicTime time,
        RandomGenerator random,
        Waiter partitionsChanged,
        Waiter watermarksDue,
        LivingSearches livingSearches,
        UserCalls userCalls,
        boolean readsAhead) {

    private static final long MIN_PREFETCH_BYTES = 16 << 10;
    private static final long MAX_PREFETCH_BYTES = 16 << 20;

    static EngineContext of(
            ChangeStreamSource source,
            PartitionStorage storage,
            SubscriberOptions options,
            MonotonicTime time,
            RandomGenerator random,
            boolean readsAhead) {
        UserCalls userCalls = new UserCalls(time, source.streamName());
        SafeListeners<SubscriptionListener> listener = new SafeListeners<>(
                options.listeners(),
                (called, call) -> userCalls.call("listener " + called.getClass().getName(), Executors.callable(call)));
        return new EngineContext(
                source,
                storage,
                new RetryingStorageCalls(storage, time, random, listener),
                options,
                options.worker().orElseGet(WorkerId::random),
                listener,
                time,
                random,
                new Waiter(time),
                new Waiter(time),
                new LivingSearches(time),
                userCalls,
                readsAhead && options.effectiveOrdering() != Ordering.NONE);
    }

    int maxOpenPartitions() {
        return Math.min(options.maxOpenPartitions(), source.maxOpenQueries());
    }

    /**
     * Returns a new budget for changes that are read and not settled. It has half of the bytes; {@link #prefetchBytes}
     * divides the other half.
     */
    Budget newBudget() {
        return new Budget(options.maxBufferedChanges(), options.maxBufferedBytes() / 2);
    }

    /**
     * Returns how many bytes the client may fetch ahead for one partition: half of the budget, shared by all that may
     * be open.
     */
    long prefetchBytes() {
        long share = options.maxBufferedBytes() / 2 / maxOpenPartitions();
        return Math.clamp(share, MIN_PREFETCH_BYTES, MAX_PREFETCH_BYTES);
    }

    QueryRunner queries(BooleanSupplier isReading) {
        QuerySettings settings = querySettings();
        return new QueryRunner(source, time, beforeFirstRow -> settings.stallTimeout(beforeFirstRow, 0), isReading);
    }

    QuerySettings querySettings() {
        return new QuerySettings(options.heartbeatInterval(), options.missedHeartbeats(), prefetchBytes());
    }

    /** Returns the name of a partition at the start of log lines and messages. */
    String label(PartitionToken token) {
        return source.streamName() + "/" + token.abbreviated();
    }

    String threadName(String role, PartitionToken token) {
        return "spream-" + source.streamName() + "-" + role + "-" + token.abbreviated();
    }
}
