package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.worker.OutboxListener;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * HTTP endpoints of an outbox worker, with the page. The state comes from the {@linkplain #listeners() listeners}; the caller reports
 * start, draining, failure and samples of the outbox.
 */
public final class OutboxEndpoints extends Endpoints {
    private final String outbox;
    private final OutboxHealth health;
    private final OutboxMetrics metrics;

    /**
     * Creates endpoints that do not listen yet.
     *
     * @param outbox the displayed name
     */
    public OutboxEndpoints(HttpAddress address, String outbox, PageParts parts) {
        this(address, outbox, parts, InstantSource.system());
    }

    OutboxEndpoints(HttpAddress address, String outbox, PageParts parts, InstantSource clock) {
        super(address, parts, clock);
        this.outbox = outbox;
        this.health = new OutboxHealth(clock);
        this.metrics = OutboxMetrics.of(registry(), outbox);
    }

    /** Returns the listeners to register with the worker. */
    public List<OutboxListener> listeners() {
        return List.of(health, metrics);
    }

    /** Publishes a sample of the outbox. */
    public void sampled(OutboxStats stats) {
        metrics.sampled(stats);
    }

    @Override
    Map<String, Endpoint> answers() {
        return page().answers("outbox", outbox, false, Optional.empty());
    }

    @Override
    Optional<String> problem() {
        return state().phase() == RunState.Phase.FAILED
                ? Optional.of("the worker has ended: " + state().reason())
                : health.problem();
    }

    /** Marks the worker as running. */
    public void running() {
        state().running();
    }
}
