package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.worker.OutboxListener;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * HTTP answers about the worker of an outbox. The worker tells the {@linkplain #listeners() listeners} what happens; that it
 * runs, drains or failed, and what is in the outbox, the caller has to say.
 */
public final class OutboxEndpoints extends Endpoints {
    private final OutboxHealth health;
    private final OutboxMetrics metrics;

    /**
     * Endpoints that do not listen yet.
     *
     * @param outbox the name under which it is shown
     */
    public OutboxEndpoints(HttpAddress address, String outbox) {
        this(address, outbox, InstantSource.system());
    }

    OutboxEndpoints(HttpAddress address, String outbox, InstantSource clock) {
        super(address);
        this.health = new OutboxHealth(clock);
        this.metrics = OutboxMetrics.of(registry(), outbox);
    }

    /** The listeners that the worker has to have. */
    public List<OutboxListener> listeners() {
        return List.of(health, metrics);
    }

    /** What is in the outbox now. */
    public void sampled(OutboxStats stats) {
        metrics.sampled(stats);
    }

    @Override
    Map<String, Callable<Answer>> answers() {
        return Map.of("/", () -> Answer.text(Answer.OK, "the worker of an outbox: /health, /ready, /metrics"));
    }

    @Override
    Optional<String> problem() {
        return state().phase() == RunState.Phase.FAILED
                ? Optional.of("the worker has ended: " + state().reason())
                : health.problem();
    }

    /** The worker runs. */
    public void running() {
        state().running();
    }
}
