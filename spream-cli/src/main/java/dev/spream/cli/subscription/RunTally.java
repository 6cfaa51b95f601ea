package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the work of a reader: settled changes by outcome, partitions taken over and handed over, and recovered faults.
 * Safe for use by many threads.
 */
final class RunTally implements SubscriptionListener {
    private final LongAdder delivered = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder deadLettered = new LongAdder();
    private final LongAdder resumed = new LongAdder();
    private final LongAdder givenBack = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder reconnects = new LongAdder();
    private final LongAdder repetitions = new LongAdder();

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        LongAdder count =
                switch (outcome) {
                    case CONSUMED -> delivered;
                    case SKIPPED -> skipped;
                    case DEAD_LETTERED -> deadLettered;
                };
        count.increment();
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        if (epoch > 1) {
            resumed.increment();
        }
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        givenBack.increment();
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        lost.increment();
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        reconnects.increment();
    }

    @Override
    public void duplicateDropped(PartitionToken partition, DataChangeRecord change) {
        repetitions.increment();
    }

    boolean anySettled() {
        return delivered.sum() + skipped.sum() + deadLettered.sum() > 0;
    }

    /** @param filtered the number of changes dropped by the filter, which count as consumed */
    String settled(long filtered) {
        String left = filtered == 0 ? "" : ", %d filtered out".formatted(filtered);
        return "%d records delivered%s, %d skipped, %d dead-lettered"
                .formatted(Math.max(0, delivered.sum() - filtered), left, skipped.sum(), deadLettered.sum());
    }

    String shares() {
        return "resumed %d, released %d, lost %d".formatted(resumed.sum(), givenBack.sum(), lost.sum());
    }

    /** Returns the faults, as in {@code reconnects 52, repeated records dropped 120}. */
    String faults() {
        return "reconnects %d, repeated records dropped %d".formatted(reconnects.sum(), repetitions.sum());
    }
}
