package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what a reader did about streams that broke. Safe for use by many threads. */
final class FaultTally implements SubscriptionListener {
    private final LongAdder reconnects = new LongAdder();
    private final LongAdder repetitions = new LongAdder();

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        reconnects.increment();
    }

    @Override
    public void duplicateDropped(PartitionToken partition, DataChangeRecord change) {
        repetitions.increment();
    }

    /** As in {@code reconnects 52, repeated records dropped 120}. */
    @Override
    public String toString() {
        return "reconnects %d, repeated records dropped %d".formatted(reconnects.sum(), repetitions.sum());
    }
}
