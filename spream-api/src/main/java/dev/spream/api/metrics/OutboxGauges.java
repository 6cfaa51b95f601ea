package dev.spream.api.metrics;

import static java.util.Objects.requireNonNullElse;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import io.micrometer.core.instrument.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of a worker and of its outbox; those of the outbox come from the last sample. Safe for use by many
 * threads.
 */
final class OutboxGauges {
    private static final double NANOS = 1e9;

    private final Clock clock;
    final AtomicInteger sending = new AtomicInteger();

    /** The destinations whose circuit breakers are open. */
    final Set<String> openBreakers = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Sample sample;

    /** @param takenAt the time of the sample by the registry's monotonic clock, in nanoseconds */
    private record Sample(OutboxStats stats, long takenAt) {}

    OutboxGauges(Meters meters) {
        this.clock = meters.registry().config().clock();
        meters.gauge("outbox.sending", "Attempts and queries of this worker in flight.", sending::get);
        meters.gauge(
                "outbox.breaker.open",
                "Circuit breakers of this worker that are open; each sender has one.",
                openBreakers::size);
        for (OutboxStatus status : OutboxStatus.values()) {
            meters.gauge(
                    "outbox.entries",
                    "Entries in the outbox, by status; an estimate above 10,000 of a status.",
                    () -> ofStats(stats -> requireNonNullElse(stats.entries().get(status), 0L)),
                    "status",
                    status.text());
        }
        meters.gauge(
                "outbox.due",
                "Entries that are due and unclaimed; a lower bound above 10,000.",
                () -> ofStats(OutboxStats::due));
        meters.gauge(
                "outbox.parked",
                "Parked entries, which wait for an operator's decision; a lower bound above 10,000.",
                () -> ofStats(OutboxStats::parked));
        meters.gauge(
                "outbox.parked.unknown",
                "Parked entries that may have reached the receiver.",
                () -> ofStats(OutboxStats::parkedUnknown));
        meters.gauge(
                "outbox.stranded",
                "Entries being sent whose lease has expired and that are not yet claimed by another worker.",
                () -> ofStats(OutboxStats::leasesExpired));
        meters.seconds(
                "outbox.sample.age",
                "Time since the gauges of the whole outbox were last read from the store, in seconds; grows while reading them fails.",
                this::sampleAge);
        meters.seconds(
                "outbox.lag",
                "Waiting time of the entry that has been due longest; 0 if none is due. With more than 10,000"
                        + " entries with an ordering key, a lower bound: only the first entries of each segment are compared.",
                () -> ofStats(stats -> Meters.seconds(Optional.of(stats.lag()))));
    }

    private double ofStats(ToDoubleFunction<OutboxStats> value) {
        Sample last = sample;
        return last == null ? Double.NaN : value.applyAsDouble(last.stats());
    }

    private double sampleAge() {
        Sample last = sample;
        return last == null ? Double.NaN : (clock.monotonicTime() - last.takenAt()) / NANOS;
    }

    void sampled(OutboxStats now) {
        sample = new Sample(now, clock.monotonicTime());
    }
}
