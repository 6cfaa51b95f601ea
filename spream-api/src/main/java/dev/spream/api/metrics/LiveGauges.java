package dev.spream.api.metrics;

import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of a subscription while it runs. They show what this worker knows by itself: reading one asks neither the
 * storage nor the server. What is not known yet is {@code NaN}.
 */
final class LiveGauges {
    private static final String SECONDS = "seconds";
    private static final double NANOS = 1e9;

    private final MeterRegistry registry;
    private final Tags tags;
    private final InstantSource clock;
    private final SubscriptionView subscription;
    private final RetentionWatch retention;
    private final List<Gauge> gauges = new ArrayList<>(); // confined to the thread that runs the subscription

    LiveGauges(MeterRegistry registry, Tags tags, InstantSource clock, SubscriptionView subscription) {
        this.registry = registry;
        this.tags = tags;
        this.clock = clock;
        this.subscription = subscription;
        this.retention = new RetentionWatch(subscription, clock);
    }

    /** @param waiting how many partitions wait for room */
    void register(IntSupplier waiting) {
        add("spream.inflight", null, "Changes that are read and not settled.", this::inflight);
        add(
                "spream.partitions.held",
                null,
                "Partitions that this worker reads.",
                () -> subscription.held().size());
        add(
                "spream.partitions.waiting",
                null,
                "Partitions that nobody reads because this worker reads as many as it may.",
                waiting::getAsInt);
        add(
                "spream.low.watermark",
                SECONDS,
                "Everything committed before is settled, by all workers; seconds since 1970.",
                () -> seconds(subscription.lowWatermark()));
        add("spream.lag", SECONDS, "How far the low watermark is behind this machine's clock.", () -> seconds(lag()));
        add(
                "spream.retention.period",
                SECONDS,
                "How long the stream keeps changes; NaN for a stream that declares no retention_period, and until the server"
                        + " has said it.",
                () -> seconds(retention.latest()));
        add(
                "spream.retention.left",
                SECONDS,
                "Until the stream drops changes that are not settled, if the low watermark stays where it is; less than 0"
                        + " when it has dropped some.",
                () -> seconds(left()));
    }

    private void add(String name, @Nullable String unit, String meaning, DoubleSupplier value) {
        gauges.add(Gauge.builder(name, value::getAsDouble)
                .description(meaning)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    }

    /** A subscription that does not run any more is not to look as if it did. */
    void remove() {
        retention.stop();
        gauges.forEach(registry::remove);
        gauges.clear();
    }

    /** As the server said last. */
    Optional<Duration> retention() {
        return retention.latest();
    }

    /** Whether the server has answered that question. */
    boolean isRetentionKnown() {
        return retention.isAnswered();
    }

    private int inflight() {
        return subscription.held().stream()
                .mapToInt(PartitionProgress::inflight)
                .sum();
    }

    private Optional<Duration> lag() {
        Instant now = clock.instant();
        return subscription.lowWatermark().map(low -> low.isBefore(now) ? Duration.between(low, now) : Duration.ZERO);
    }

    private Optional<Duration> left() {
        Optional<Duration> period = retention.latest();
        Instant now = clock.instant();
        return subscription.lowWatermark().flatMap(low -> period.map(kept -> Duration.between(now, low.plus(kept))));
    }

    private static double seconds(Optional<?> value) {
        return switch (value.orElse(null)) {
            case Instant time -> time.getEpochSecond() + time.getNano() / NANOS;
            case Duration duration -> duration.getSeconds() + duration.getNano() / NANOS;
            case null, default -> Double.NaN;
        };
    }
}
