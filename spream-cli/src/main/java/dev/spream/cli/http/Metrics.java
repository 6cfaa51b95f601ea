package dev.spream.cli.http;

import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.util.Optional;

/** The meters of a subscription and of its process. Safe for use by many threads. */
final class Metrics implements AutoCloseable {
    private final ProcessMeters process = new ProcessMeters();
    private final SpreamMetrics subscription;

    /** @param subscription its name, the tag of its meters */
    Metrics(String subscription) {
        this.subscription = SpreamMetrics.of(process.registry(), subscription);
    }

    SubscriptionListener listener() {
        return subscription;
    }

    /** How long the stream keeps its records, as far as that is known. */
    Optional<Duration> retention() {
        return subscription.retention();
    }

    /** See {@link SpreamMetrics#isRetentionKnown}. */
    boolean isRetentionKnown() {
        return subscription.isRetentionKnown();
    }

    Answer scrape() {
        return process.scrape();
    }

    @Override
    public void close() {
        process.close();
    }
}
