package dev.spream.examples.guide;

import dev.spream.api.metrics.LockMetrics;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.api.metrics.ProjectionMetrics;
import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.api.tracing.SpreamTracing;
import dev.spream.core.consume.Consumer;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.runner.ProjectionManager;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.sql.Connection;

/** Examples of publishing meters and spans; see docs/metrics.md and docs/operations.md. */
final class MonitoringExamples {
    private MonitoringExamples() {}

    static void subscription(MeterRegistry registry, SubscriberOptions.Builder options) {
        options.listener(SpreamMetrics.of(registry, "orders"));
    }

    static void locks(MeterRegistry registry, HierarchicalLocks.Builder<Connection> locks) {
        locks.listener(LockMetrics.of(registry, "orders"));
    }

    static void outbox(MeterRegistry registry, OutboxWorkerOptions.Builder options) {
        OutboxMetrics metrics = OutboxMetrics.of(registry, "orders");
        options.listener(metrics);
    }

    static void projections(
            MeterRegistry registry,
            ProjectionStore<Connection> store,
            Projection<Connection> projection,
            EventSource events) {
        ProjectionMetrics metrics = ProjectionMetrics.of(registry);
        ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                .add(projection, events)
                .listener(metrics)
                .build();
        metrics.watch(manager::views);
    }

    static Consumer traced(OpenTelemetry openTelemetry, Consumer consumer) {
        return SpreamTracing.of(openTelemetry, "orders").around(consumer);
    }
}
