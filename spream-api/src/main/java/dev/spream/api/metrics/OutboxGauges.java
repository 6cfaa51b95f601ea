package dev.spream.api.metrics;

import static java.util.Objects.requireNonNullElse;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The gauges of a worker and of its outbox, the latter as they were last sampled. Safe for use by many threads. */
final class OutboxGauges {
    private static final double MILLIS = 1_000;
    private static final double NANOS = 1e9;

    private final MeterRegistry registry;
    private final AtomicInteger sending = new AtomicInteger();
    private volatile boolean breakerOpen;
    private volatile @Nullable Sample sample;

    /** @param takenAt by the registry's monotonic clock, in nanoseconds */
    private record Sample(OutboxStats stats, long takenAt) {}

    OutboxGauges(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        register("outbox.sending", "Attempts and queries that this worker has under way.", tags, sending::get);
        register(
                "outbox.breaker.open",
                "1 while this worker claims nothing since nothing got through, else 0.",
                tags,
                () -> breakerOpen ? 1 : 0);
        for (OutboxStatus status : OutboxStatus.values()) {
            sampled(
                    "outbox.entries",
                    "Entries in the outbox, by status; about as many, beyond 10,000 of a status.",
                    tags.and("status", status.text()),
                    stats -> requireNonNullElse(stats.entries().get(status), 0L));
        }
        sampled(
                "outbox.due",
                "Entries that could be claimed now; at least as many, beyond 10,000.",
                tags,
                OutboxStats::due);
        sampled(
                "outbox.parked",
                "Entries that wait until an operator decides; at least as many, beyond 10,000.",
                tags,
                OutboxStats::parked);
        sampled(
                "outbox.parked.unknown",
                "Those of them that may have reached the receiver.",
                tags,
                OutboxStats::parkedUnknown);
        sampled(
                "outbox.stranded",
                "Entries being sent by somebody whose lease has run out, and that nobody has claimed yet.",
                tags,
                OutboxStats::leasesExpired);
        Gauge.builder("outbox.sample.age", this::sampleAge)
                .description(
                        "How old the sample is that the gauges of the whole outbox show; it grows while samples fail.")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        Gauge.builder("outbox.lag", () -> ofStats(known -> known.lag().toMillis() / MILLIS))
                .description(
                        "How long the entry that has been due for longest has waited; 0 if none is due. With more than 10,000"
                                + " entries with an ordering key, the longest of those that are among the first of their lane: at least"
                                + " that long.")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
    }

    private void sampled(String name, String meaning, Tags tags, ToDoubleFunction<OutboxStats> value) {
        register(name, meaning, tags, () -> ofStats(value));
    }

    private void register(String name, String meaning, Tags tags, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble).description(meaning).tags(tags).register(registry);
    }

    private double ofStats(ToDoubleFunction<OutboxStats> value) {
        Sample last = sample;
        return last == null ? Double.NaN : value.applyAsDouble(last.stats());
    }

    private double sampleAge() {
        Sample last = sample;
        return last == null ? Double.NaN : (registry.config().clock().monotonicTime() - last.takenAt()) / NANOS;
    }

    void sampled(OutboxStats now) {
        sample = new Sample(now, registry.config().clock().monotonicTime());
    }

    void started() {
        sending.incrementAndGet();
    }

    void ended() {
        sending.decrementAndGet();
    }

    void breaker(boolean open) {
        breakerOpen = open;
    }
}
