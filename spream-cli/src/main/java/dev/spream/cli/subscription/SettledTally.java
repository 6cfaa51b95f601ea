package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Counts how changes were settled. Safe for use by many threads. */
final class SettledTally implements SubscriptionListener {
    private final LongAdder delivered = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder deadLettered = new LongAdder();

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

    boolean any() {
        return delivered.sum() + skipped.sum() + deadLettered.sum() > 0;
    }

    /**
     * The counts, for people.
     *
     * @param filtered how many of the changes that count as consumed the filter left out
     */
    String text(long filtered) {
        String left = filtered == 0 ? "" : ", %d left out by the filter".formatted(filtered);
        return "%d records delivered%s, %d skipped, %d dead-lettered"
                .formatted(Math.max(0, delivered.sum() - filtered), left, skipped.sum(), deadLettered.sum());
    }
}
