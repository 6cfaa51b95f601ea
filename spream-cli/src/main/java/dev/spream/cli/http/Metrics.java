package dev.spream.cli.http;

import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.core.subscription.SubscriptionListener;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The meters of a subscription, of its JVM and its process, in the text format of Prometheus. Safe for use by many threads. */
final class Metrics implements AutoCloseable {
    private static final String FORMAT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private final SpreamMetrics subscription;

    /** @param subscription its name, the tag of its meters */
    Metrics(String subscription) {
        this.subscription = SpreamMetrics.of(registry, subscription);
        List<MeterBinder> binders = List.of(
                gc,
                new ClassLoaderMetrics(),
                new JvmMemoryMetrics(),
                new JvmThreadMetrics(),
                new FileDescriptorMetrics(),
                new ProcessorMetrics(),
                new UptimeMetrics());
        binders.forEach(binder -> binder.bindTo(registry));
    }

    SubscriptionListener listener() {
        return subscription;
    }

    /** How long the stream keeps its records, as far as that is known. */
    Optional<Duration> retention() {
        return subscription.retention();
    }

    Answer scrape() {
        return Answer.of(Answer.OK, FORMAT, registry.scrape());
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }
}
