package dev.spream.cli.subscription;

import dev.spream.cli.output.Figures;
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
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
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
    /** The time without a change after which the line says that it waits. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final StatusLine line;
    private final InstantSource clock;
    private final ZoneId zone;
    private final Instant started;
    private final LongAdder records = new LongAdder();
    private final Set<PartitionToken> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Instant lowWatermark;
    private volatile Instant lastSettled = Instant.MIN;

    WatermarkProgress(PrintStream terminal, InstantSource clock) {
        this(terminal, clock, ZoneId.systemDefault());
    }

    WatermarkProgress(PrintStream terminal, InstantSource clock, ZoneId zone) {
        this.line = new StatusLine(terminal, this::text);
        this.clock = clock;
        this.zone = zone;
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
        lastSettled = clock.instant();
    }

    @Override
    public void lowWatermark(Instant lowWatermark) {
        this.lowWatermark = lowWatermark;
    }

    String text() {
        Instant now = clock.instant();
        Instant low = lowWatermark;
        if (low != null && Duration.between(now, low).compareTo(FutureStart.TOLERANCE) > 0) {
            return "waiting until %s, for another %s".formatted(low, DurationText.of(Duration.between(now, low)));
        }
        int reading = open.size();
        String partitions = reading == 1 ? "1 partition" : reading + " partitions";
        String changes = Figures.count(records.sum()) + " changes";
        boolean waits = Duration.between(lastSettled, now).compareTo(PAUSE) > 0;
        List<String> parts = waits
                ? List.of("waiting", partitions, readUpTo(low, now), changes)
                : List.of(changes, rate(now), partitions, readUpTo(low, now));
        return String.join(" · ", parts);
    }

    private String rate(Instant now) {
        double seconds = Math.max(1, Duration.between(started, now).toMillis()) / 1_000.0;
        return String.format(Locale.ROOT, "%,.0f/s", records.sum() / seconds);
    }

    private String readUpTo(@Nullable Instant low, Instant now) {
        if (low == null) {
            return "nothing read yet";
        }
        Duration behind = Duration.between(low, now).truncatedTo(ChronoUnit.SECONDS);
        return "read up to %s (%s ago)"
                .formatted(
                        TIME.format(low.atZone(zone)), DurationText.of(behind.isNegative() ? Duration.ZERO : behind));
    }
}
