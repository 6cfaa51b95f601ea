package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.api.HttpAddress;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.worker.OutboxListener;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP about the worker of an outbox: {@code /health}, {@code /ready} and {@code /metrics}. The {@linkplain #listeners()
 * listeners} are told what happens by the worker; that it runs, drains or failed, and what is in the outbox, whoever runs it
 * has to say.
 */
public final class OutboxEndpoints implements Endpoints {
    private final HttpAddress address;
    private final RunState state = new RunState();
    private final OutboxHealth health;
    private final ProcessMeters process = new ProcessMeters();
    private final OutboxMetrics metrics;
    private volatile @Nullable Listening listening;

    private OutboxEndpoints(HttpAddress address, String outbox, InstantSource clock) {
        this.address = requireNonNull(address, "address");
        this.health = new OutboxHealth(clock);
        this.metrics = OutboxMetrics.of(process.registry(), outbox);
    }

    /**
     * Endpoints that do not listen yet.
     *
     * @param outbox the name under which it is shown
     */
    public static OutboxEndpoints of(HttpAddress address, String outbox) {
        return of(address, outbox, InstantSource.system());
    }

    static OutboxEndpoints of(HttpAddress address, String outbox, InstantSource clock) {
        return new OutboxEndpoints(address, outbox, clock);
    }

    /** Who has to be told what the worker does. */
    public List<OutboxListener> listeners() {
        return List.of(health, metrics);
    }

    /** What is in the outbox now. */
    public void sampled(OutboxStats stats) {
        metrics.sampled(stats);
    }

    @Override
    public String listen() throws IOException {
        Listening started = Listening.start(
                address,
                Map.of(
                        "/",
                        () -> Answer.text(Answer.OK, "the worker of an outbox: /health, /ready, /metrics"),
                        "/health",
                        () -> state.health(problem()),
                        "/ready",
                        state::ready,
                        "/metrics",
                        process::scrape),
                () -> {});
        listening = started;
        return started.url();
    }

    private Optional<String> problem() {
        return state.phase() == RunState.Phase.FAILED
                ? Optional.of("the worker has ended: " + state.reason())
                : health.problem();
    }

    /** The worker runs. */
    public void running() {
        state.running();
    }

    @Override
    public void draining() {
        state.draining();
    }

    @Override
    public void failed(Throwable failure) {
        state.failed(failure);
    }

    @Override
    public void close() {
        Listening started = listening;
        if (started != null) {
            started.close();
        }
        process.close();
    }
}
