package dev.spream.api.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/** What a worker of an outbox spends its time with, as histograms with the same buckets in every process. */
record OutboxTimers(Timer claim, Timer send, Timer query, Timer commit) {
    private static final String LATENCY = "outbox.latency";

    static OutboxTimers of(MeterRegistry registry, Tags tags) {
        return new OutboxTimers(
                timer(registry, tags, "claim"),
                timer(registry, tags, "send"),
                timer(registry, tags, "query"),
                timer(registry, tags, "commit"));
    }

    private static Timer timer(MeterRegistry registry, Tags tags, String phase) {
        return Timer.builder(LATENCY)
                .description("How long a claim of entries, an attempt to send one, a query for one, and a commit of"
                        + " settlements took.")
                .serviceLevelObjectives(Timers.buckets())
                .tags(tags.and("phase", phase))
                .register(registry);
    }
}
