package dev.spream.api.metrics;

import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * The gauges of a subscription while it runs. They show the state of this worker: reading one queries neither the
 * storage nor the server. Unknown values are {@code NaN}.
 */
final class LiveGauges {
    /** A partition whose lag is longer is named: fewer names for the registry to keep. */
    private static final Duration LAGGING = Duration.ofSeconds(30);

    private final Meters meters;
    private final InstantSource clock;
    private final SubscriptionView subscription;
    final RetentionWatch retention;

    // Confined to the thread that runs the subscription.
    private final List<Gauge> gauges = new ArrayList<>();
    private final MultiGauge lagging;

    LiveGauges(Meters meters, InstantSource clock, SubscriptionView subscription) {
        this.meters = meters;
        this.clock = clock;
        this.subscription = subscription;
        this.retention = new RetentionWatch(subscription, clock);
        this.lagging = MultiGauge.builder("spream.lag.partition")
                .description("Lag of the partition that holds back the others, while it is more than 30 seconds.")
                .baseUnit(Meters.SECONDS)
                .tags(meters.tags())
                .register(meters.registry());
    }

    /** Names the partition that lags, or none. */
    void nameLagging() {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        subscription
                .lagging()
                .filter(lagging -> lag(lagging).compareTo(LAGGING) > 0)
                .ifPresent(lagging -> rows.add(MultiGauge.Row.of(
                        Tags.of("partition", lagging.partition().abbreviated()),
                        () -> Meters.seconds(Optional.of(lag(lagging))))));
        lagging.register(rows, true);
    }

    private Duration lag(PartitionPosition position) {
        return Duration.between(position.timestamp(), clock.instant());
    }

    void register(IntSupplier waiting, MoveInWaits moveIns) {
        gauges.addAll(List.of(
                meters.gauge("spream.inflight", "Changes that are read and not yet settled.", this::inflight),
                meters.gauge(
                        "spream.partitions.held",
                        "Partitions that this worker reads.",
                        () -> subscription.held().size()),
                meters.gauge(
                        "spream.partitions.waiting",
                        "Unclaimed partitions that wait because this worker reads max-open-partitions.",
                        waiting::getAsInt),
                meters.gauge(
                        "spream.movein.waiting",
                        "Partitions of this worker, and those of no worker, whose changes wait for partitions that their key ranges"
                                + " moved from.",
                        moveIns::count),
                meters.seconds(
                        "spream.movein.longest",
                        "Time for which the longest wait for a move-in has lasted; 0 without any.",
                        () -> Meters.seconds(moveIns.longest())),
                meters.seconds(
                        "spream.low.watermark",
                        "Low watermark of the subscription over all workers, in seconds since 1970: every change"
                                + " committed before it is settled.",
                        () -> Meters.time(subscription.lowWatermark())),
                meters.seconds(
                        "spream.lag",
                        "Difference between this machine's clock and the low watermark.",
                        () -> Meters.seconds(lag())),
                meters.seconds(
                        "spream.retention.period",
                        "Retention period of the change stream; NaN if the stream declares none, and until it was"
                                + " read from the server.",
                        () -> Meters.seconds(retention.latest())),
                meters.seconds(
                        "spream.retention.left",
                        "Time until the stream drops unsettled changes if the low watermark does not advance;"
                                + " negative once it has dropped some.",
                        () -> Meters.seconds(left()))));
    }

    /** Removes the gauges, so that a subscription that has ended does not appear to run. */
    void remove() {
        retention.stop();
        gauges.forEach(meters.registry()::remove);
        gauges.clear();
        lagging.register(List.of(), true);
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
}
