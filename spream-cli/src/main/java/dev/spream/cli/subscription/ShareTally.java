package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what passed between this worker and others, or itself in an earlier run. Safe for use by many threads. */
final class ShareTally implements SubscriptionListener {
    private final AtomicInteger resumed = new AtomicInteger();
    private final AtomicInteger givenBack = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        if (epoch > 1) {
            resumed.incrementAndGet();
        }
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        givenBack.incrementAndGet();
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        lost.incrementAndGet();
    }

    @Override
    public String toString() {
        return "resumed %d, given back %d, lost %d".formatted(resumed.get(), givenBack.get(), lost.get());
    }
}
