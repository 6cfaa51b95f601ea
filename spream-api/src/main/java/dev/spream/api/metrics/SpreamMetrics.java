package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events and the state of a subscription to a Micrometer registry. Every meter carries the tag
 * {@code subscription}; no tag contains a key or a table, and only {@code spream.lag.partition} names a partition: the one
 * that lags, if its lag is long. Counters are registered on creation, with every
 * value of their tags, so that alerts see them rise from zero. Gauges exist while the subscription runs.
 *
 * <pre>{@code
 * SubscriberOptions.builder().listener(SpreamMetrics.of(registry, "orders"))
 * }</pre>
 *
 * <p>One instance serves one subscription and one run at a time; several share a registry under different names. Safe
 * for use by many threads.
 */
public final class SpreamMetrics implements SubscriptionListener {
    private final Meters meters;
    private final InstantSource clock;
    private final Count.Counters counters;
    private final Timer consume;
    private final Timer handOver;
    private final HandOvers handOvers = new HandOvers();
    private final AtomicInteger waiting = new AtomicInteger();
    private final MoveInWaits moveIns;
    private volatile @Nullable LiveGauges gauges;

    private SpreamMetrics(MeterRegistry registry, String subscription, InstantSource clock) {
        this.meters = new Meters(
                requireNonNull(registry, "registry"),
                Tags.of("subscription", requireNonNull(subscription, "subscription")));
        this.clock = clock;
        this.moveIns = new MoveInWaits(clock);
        this.counters = new Count.Counters(meters);
        this.consume =
                meters.timer("spream.consume", "Duration of the last attempt of the consumer for a settled change.");
        this.handOver = meters.timer(
                "spream.handover",
                "Time from the end of a partition until this worker begins to read one of its children.");
    }

    /**
     * Creates a listener that publishes to the registry, and registers its counters and timers.
     *
     * @param subscription the value of the tag
     */
    public static SpreamMetrics of(MeterRegistry registry, String subscription) {
        return of(registry, subscription, InstantSource.system());
    }

    static SpreamMetrics of(MeterRegistry registry, String subscription, InstantSource clock) {
        return new SpreamMetrics(registry, subscription, clock);
    }

    /**
     * Returns the retention period of the stream as last reported by the server, which is queried in the background at
     * long intervals. Empty before the first answer and while the subscription does not run.
     */
    public Optional<Duration> retention() {
        LiveGauges live = gauges;
        return live == null ? Optional.empty() : live.retention.latest();
    }

    /** Returns whether the server has reported the retention period, or that the stream declares none. */
    public boolean isRetentionKnown() {
        LiveGauges live = gauges;
        return live != null && live.retention.isAnswered();
    }

    @Override
    public void started(SubscriptionView subscription) {
        waiting.set(0);
        moveIns.clear();
        LiveGauges live = new LiveGauges(meters, clock, subscription);
        live.register(waiting::get, moveIns);
        gauges = live;
    }

    @Override
    public void ended() {
        LiveGauges live = gauges;
        if (live != null) {
            live.remove();
            gauges = null;
        }
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        counters.increment(Count.ACQUIRED);
        handOvers.started(partition, System.nanoTime()).ifPresent(handOver::record);
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        for (int atOnce = handOvers.finished(proof, System.nanoTime()); atOnce > 0; atOnce--) {
            handOver.record(Duration.ZERO);
        }
        counters.increment(Count.FINISHED);
        moveIns.end(partition);
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        counters.increment(Count.RELEASED);
        moveIns.end(partition);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        counters.increment(Count.LEASES_LOST);
        moveIns.end(partition);
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        counters.increment(Count.RECONNECTS, cause == null ? Count.END_WITHOUT_PROOF : Meters.tag(cause.kind()));
    }

    @Override
    public void duplicateDropped(PartitionToken partition, DataChangeRecord change) {
        counters.increment(Count.DUPLICATES);
    }

    @Override
    public void gapAccepted(PartitionToken partition, PartitionGap gap) {
        counters.increment(Count.GAPS);
    }

    @Override
    public void partitionsWaiting(int count, @Nullable Instant oldestWatermark) {
        waiting.set(count);
    }

    @Override
    public void lowWatermark(Instant lowWatermark) {
        LiveGauges live = gauges;
        if (live != null) {
            live.nameLagging();
        }
    }

    @Override
    public void waitingForMoveIn(PartitionToken partition, MoveIn moveIn) {
        moveIns.begin(partition, moveIn);
    }

    @Override
    public void moveInSettled(PartitionToken partition, MoveIn moveIn, Duration waited) {
        moveIns.end(partition);
    }

    @Override
    public void unclaimedWaitingForMoveIn(Map<PartitionToken, MoveIn> waiting) {
        moveIns.unclaimed(waiting);
    }

    @Override
    public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
        counters.increment(Count.DELIVERIES);
        if (attempt > 1) {
            counters.increment(Count.RETRIES);
        }
    }

    @Override
    public void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {
        counters.increment(Count.TIMEOUTS);
    }

    @Override
    public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
        String name =
                switch (decision) {
                    case ErrorDecision.Retry retry -> "retry";
                    case ErrorDecision.Skip skip -> "skip";
                    case ErrorDecision.DeadLetter deadLetter -> "dead_letter";
                    case ErrorDecision.ParkKey parkKey -> "park_key";
                    case ErrorDecision.Stop stop -> "stop";
                };
        counters.increment(Count.FAILURES, name);
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        counters.increment(Count.SETTLED, Meters.tag(outcome));
        consume.record(consumeTime);
    }

    @Override
    public void incompleteSettled(String serverTransactionId, Instant commitTimestamp, MissingChanges missing) {
        counters.increment(Count.INCOMPLETE, Meters.tag(missing));
    }

    @Override
    public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
        counters.increment(Count.WATERMARK_WRITES);
    }

    @Override
    public void storageRetrying(String operation, Throwable cause) {
        counters.increment(Count.STORAGE_RETRIES, Meters.tag(StorageOperation.of(operation)));
    }
}
