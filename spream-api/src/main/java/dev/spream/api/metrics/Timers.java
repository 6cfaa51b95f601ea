package dev.spream.api.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.LongStream;

/** The timers of a subscription, as histograms with the same buckets in every process, so that they can be added up. */
record Timers(Timer consume, Timer handOver) {
    private static final Duration[] BUCKETS = LongStream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    static Duration[] buckets() {
        return BUCKETS.clone();
    }

    static Timers of(MeterRegistry registry, Tags tags) {
        return new Timers(
                Timer.builder("spream.consume")
                        .description("How long the consumer took for a change that is settled, at its last attempt.")
                        .serviceLevelObjectives(BUCKETS)
                        .tags(tags)
                        .register(registry),
                Timer.builder("spream.handover")
                        .description(
                                "From the end of a partition until this worker, which read it, begins to read a child.")
                        .serviceLevelObjectives(BUCKETS)
                        .tags(tags)
                        .register(registry));
    }
}
