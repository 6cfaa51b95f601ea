package dev.spream.examples.vocabulary;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.worker.OutboxWorker;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The outbox that the relay fills, with the worker that publishes its entries, and its meters. Opened and closed by one
 * thread, after it has closed the relay; sampled and queried by any thread.
 */
final class PubsubOutbox implements Sampling.Sampled, AutoCloseable {
    private final ConfiguredOutbox configured;
    private final OutboxMetrics metrics;
    private final OutboxWorker worker;
    private final OutboxOperations operations;
    private volatile Optional<OutboxStats> stats = Optional.empty();

    private PubsubOutbox(ConfiguredOutbox configured, MeterRegistry registry) {
        this.configured = configured;
        this.metrics = OutboxMetrics.of(registry, PubsubRelay.NAME);
        this.worker = configured.worker(List.of(metrics), UnaryOperator.identity());
        this.operations = configured.operations();
    }

    static PubsubOutbox start(SpreamConfig config, MeterRegistry registry) {
        ConfiguredOutbox configured = ConfiguredOutbox.open(config);
        try {
            PubsubOutbox started = new PubsubOutbox(configured, registry);
            Thread.ofVirtual().name("vocabulary-relay").start(started.worker::run);
            return started;
        } catch (Throwable t) {
            configured.close();
            throw t;
        }
    }

    PubsubRelay relay() {
        return new PubsubRelay(configured.outbox(Connection.class));
    }

    RelayHealth health() {
        return new RelayHealth(stats);
    }

    @Override
    public void sample() {
        OutboxStats now = operations.stats();
        stats = Optional.of(now);
        metrics.sampled(now);
    }

    @Override
    public void notSampled() {
        stats = Optional.empty();
    }

    /** Waits for running publishes and closes. */
    @Override
    public void close() {
        try (configured) {
            worker.shutdown(configured.shutdownTimeout());
        }
    }
}
