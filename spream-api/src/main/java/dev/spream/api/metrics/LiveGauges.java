package dev.spream.api.metrics;

import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import io.micrometer.core.instrument.Gauge;
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
    private final Meters meters;
    private final InstantSource clock;
    private final SubscriptionView subscription;
    final RetentionWatch retention;
    private final List<Gauge> gauges = new ArrayList<>(); // confined to the thread that runs the subscription

    LiveGauges(Meters meters, InstantSource clock, SubscriptionView subscription) {
        this.meters = meters;
        this.clock = clock;
        this.subscription = subscription;
        this.retention = new RetentionWatch(subscription, clock);
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
                        "Partitions of this worker whose changes wait for partitions that their key ranges moved from.",
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
