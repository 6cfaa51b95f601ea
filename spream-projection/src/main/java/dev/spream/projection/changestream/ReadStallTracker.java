package dev.spream.projection.changestream;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The time for which a part of a stream has been unreadable while its subscriber retries: a partition from a failed
 * query until a query returns records, the storage until it responds, the whole stream until the subscription is open.
 * Safe for use by many threads.
 */
final class ReadStallTracker implements SubscriptionListener {
    /**
     * Shorter stalls are not reported: streams break occasionally and recover at once. A projection counts as caught up
     * if it was within the last ten seconds.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final MonotonicTime time;

    // Guarded by this; the times are those of the clock.
    private final Map<PartitionToken, OptionalLong> partitions = new HashMap<>(); // that are read here; since when not
    private OptionalLong subscription;
    private OptionalLong storage = OptionalLong.empty();

    ReadStallTracker(MonotonicTime time) {
        this.time = time;
        this.subscription = now();
    }

    private OptionalLong now() {
        return OptionalLong.of(time.nanoTime());
    }

    /** Returns the longest time for which a part has been unreadable; zero if it is below {@link #TIMEOUT}. */
    synchronized Duration lasted() {
        long now = time.nanoTime();
        Duration longest =
                Duration.ofNanos(Stream.concat(Stream.of(subscription, storage), partitions.values().stream())
                        .flatMapToLong(OptionalLong::stream)
                        .map(since -> now - since)
                        .max()
                        .orElse(0));
        return longest.compareTo(TIMEOUT) > 0 ? longest : Duration.ZERO;
    }

    /** Records that the partition's query returned a record or its end. */
    synchronized void returned(PartitionToken partition) {
        partitions.replace(partition, OptionalLong.empty());
    }

    @Override
    public synchronized void started(SubscriptionView view) {
        subscription = OptionalLong.empty();
        storage = OptionalLong.empty();
    }

    @Override
    public synchronized void ended() {
        partitions.clear();
        subscription = now();
    }

    @Override
    public synchronized void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        partitions.put(partition, OptionalLong.empty());
    }

    @Override
    public synchronized void reconnecting(
            PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        if (cause != null) {
            partitions.computeIfPresent(partition, (any, since) -> since.isPresent() ? since : now());
        }
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        left(partition);
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        left(partition);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        left(partition);
    }

    private synchronized void left(PartitionToken partition) {
        partitions.remove(partition);
    }

    @Override
    public synchronized void storageRetrying(String operation, Throwable cause) {
        storage = storage.isPresent() ? storage : now();
    }

    @Override
    public synchronized void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
        storage = OptionalLong.empty();
    }

    @Override
    public synchronized void lowWatermark(Instant lowWatermark) {
        storage = OptionalLong.empty();
    }
}
