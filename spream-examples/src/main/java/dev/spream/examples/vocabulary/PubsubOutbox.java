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
 * The outbox that the relay fills, with the worker that publishes what is in it, and its meters. Opened and closed by one thread,
 * which closes whatever fills it first; sampled and asked by any.
 */
final class PubsubOutbox implements Sampling.Sampled, AutoCloseable {
    private final ConfiguredOutbox desk;
    private final OutboxMetrics metrics;
    private final OutboxWorker worker;
    private final OutboxOperations operations;
    private volatile Optional<OutboxStats> stats = Optional.empty();

    private PubsubOutbox(ConfiguredOutbox desk, MeterRegistry registry) {
        this.desk = desk;
        this.metrics = OutboxMetrics.of(registry, PubsubRelay.NAME);
        this.worker = desk.worker(List.of(metrics), UnaryOperator.identity());
        this.operations = desk.operations();
    }

    static PubsubOutbox start(SpreamConfig config, MeterRegistry registry) {
        ConfiguredOutbox desk = ConfiguredOutbox.open(config);
        try {
            PubsubOutbox started = new PubsubOutbox(desk, registry);
            Thread.ofVirtual().name("vocabulary-relay").start(started.worker::run);
            return started;
        } catch (Throwable t) {
            desk.close();
            throw t;
        }
    }

    PubsubRelay relay() {
        return new PubsubRelay(desk.outbox(Connection.class));
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

    /** Lets what is being published finish. */
    @Override
    public void close() {
        try (desk) {
            worker.shutdown(desk.shutdownTimeout());
        }
    }
}
