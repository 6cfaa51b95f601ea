package dev.spream.cli.http;

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
import java.util.List;

/** A registry with the meters of the JVM and the process, in Prometheus text format. Safe for use by many threads. */
final class ProcessMeters implements AutoCloseable {
    private static final String FORMAT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics gc = new JvmGcMetrics();

    ProcessMeters() {
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

    PrometheusMeterRegistry registry() {
        return registry;
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
