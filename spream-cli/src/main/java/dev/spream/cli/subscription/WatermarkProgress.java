package dev.spream.cli.subscription;

import dev.spream.cli.output.StatusLine;
import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a subscription for an interactive terminal, on one line that is rewritten. Safe for use by many
 * threads.
 */
final class WatermarkProgress implements SubscriptionListener {
    private final StatusLine line;
    private final InstantSource clock;
    private final Instant started;
    private final LongAdder records = new LongAdder();
    private final Set<PartitionToken> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Instant lowWatermark;

    WatermarkProgress(PrintStream terminal, InstantSource clock) {
        this.line = new StatusLine(terminal, this::text);
        this.clock = clock;
        started = clock.instant();
    }

    StatusLine line() {
        return line;
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        open.add(partition);
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        open.remove(partition);
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        open.remove(partition);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        open.remove(partition);
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        records.increment();
    }

    @Override
    public void lowWatermark(Instant lowWatermark) {
        this.lowWatermark = lowWatermark;
    }

    String text() {
        Instant now = clock.instant();
        double seconds = Math.max(1, Duration.between(started, now).toMillis()) / 1_000.0;
        Instant low = lowWatermark;
        if (low != null && Duration.between(now, low).compareTo(FutureStart.TOLERANCE) > 0) {
            return "waiting until %s, for another %s".formatted(low, DurationText.of(Duration.between(now, low)));
        }
        return String.format(
                Locale.ROOT,
                "%,d records, %.0f/s, %d partitions open, low watermark behind by %s",
                records.sum(),
                records.sum() / seconds,
                open.size(),
                low == null ? "unknown" : seconds(Duration.between(low, now)));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
    }
}
