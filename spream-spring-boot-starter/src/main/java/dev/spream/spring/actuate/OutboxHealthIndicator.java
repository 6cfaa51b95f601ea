package dev.spream.spring.actuate;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.spring.outbox.OutboxWorkerHealth;
import dev.spream.spring.outbox.OutboxWorkers;
import java.util.Optional;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of the outbox worker, as the component {@code outbox}: DOWN if it has failed, or its database has not answered
 * for a minute; OUT_OF_SERVICE while it is stopped. A receiver that is down does not make it unhealthy: its circuit
 * breaker, which the details name, waits for it.
 */
public final class OutboxHealthIndicator extends AbstractHealthIndicator {
    private final OutboxWorkers worker;
    private final OutboxWorkerHealth events;

    public OutboxHealthIndicator(OutboxWorkers worker, OutboxWorkerHealth events) {
        super("the health of the outbox worker could not be read");
        this.worker = requireNonNull(worker, "worker");
        this.events = requireNonNull(events, "events");
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Optional<String> problem = worker.failure().map(LoggedFailure::message).or(events::problem);
        if (problem.isPresent()) {
            health.down().withDetail("problem", problem.get());
        } else if (worker.isRunning()) {
            health.up();
        } else {
            health.outOfService();
        }
        health.withDetail(
                "openBreakers",
                events.openBreakers().stream()
                        .map(destination -> destination.isEmpty() ? "(default)" : destination)
                        .sorted()
                        .toList());
    }
}
