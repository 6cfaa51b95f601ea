package dev.spream.examples.vocabulary;

import com.google.gson.JsonObject;
import dev.spream.api.ProjectionHealth;
import dev.spream.api.ProjectionHealth.Status;
import dev.spream.examples.http.Answer;
import dev.spream.examples.http.Call;
import dev.spream.examples.http.JsonServer;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionView;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The API for operators and machines. {@code /live} succeeds while the process works, whatever the state of its
 * projections: a restart fixes neither an unreachable database nor an event that cannot be applied. {@code /ready}
 * reports whether it can serve requests, {@code /health} the details. Safe for use by many threads.
 *
 * @param relay empty if nothing is published
 */
record ManagementApi(
        Supplier<ProjectionHealth> health, Supplier<Optional<RelayHealth>> relay, PrometheusMeterRegistry registry)
        implements JsonServer.Handler {
    static final String LIVE = "/live";
    static final String READY = "/ready";
    static final String HEALTH = "/health";
    static final String METRICS = "/metrics";

    private static final double MILLIS = 1_000;

    @Override
    public Optional<Answer> answer(Call call) {
        return Optional.of(call.method().equals("GET") ? look(call.path()) : Answer.notAllowed("GET"));
    }

    private Answer look(String path) {
        return switch (path) {
            case LIVE -> Answer.json(Answer.OK, status("live"));
            case READY ->
                health.get().isReady()
                        ? Answer.json(Answer.OK, status("ready"))
                        : Answer.json(Answer.UNAVAILABLE, status("not_ready"));
            case HEALTH -> Answer.json(Answer.OK, document(health.get(), relay.get()));
            case METRICS -> Answer.text(Answer.OK, "text/plain; version=0.0.4; charset=utf-8", registry.scrape());
            default -> Answer.problem(Answer.NOT_FOUND, "Not found", "There is nothing here.");
        };
    }

    private static JsonObject status(String status) {
        JsonObject body = new JsonObject();
        body.addProperty("status", status);
        return body;
    }

    private static JsonObject document(ProjectionHealth health, Optional<RelayHealth> relay) {
        boolean publishes = relay.map(RelayHealth::isHealthy).orElse(true);
        Status status = health.status() == Status.HEALTHY && !publishes ? Status.DEGRADED : health.status();
        JsonObject document = status(lower(status));
        JsonObject projections = new JsonObject();
        for (ProjectionView view : health.projections()) {
            projections.add(view.version().label(), document(view));
        }
        document.add("projections", projections);
        document.addProperty(
                "lag_seconds", health.lag().map(lag -> lag.toMillis() / MILLIS).orElse(null));
        document.addProperty("error_rate", health.errorRate());
        relay.ifPresent(outbox -> document.add("outbox", document(outbox)));
        return document;
    }

    private static JsonObject document(RelayHealth outbox) {
        JsonObject document = status(outbox.isHealthy() ? "healthy" : "degraded");
        outbox.stats().ifPresent(stats -> {
            document.addProperty("lag_seconds", stats.lag().toMillis() / MILLIS);
            document.addProperty("due", stats.due());
            document.addProperty("failed", RelayHealth.failed(stats));
            document.addProperty("parked", stats.parked());
        });
        return document;
    }

    private static JsonObject document(ProjectionView view) {
        ProjectionState state = view.state();
        JsonObject document = status(view.version().text(state.status()));
        document.addProperty("last_processed_event", state.lastEventId().orElse(null));
        document.addProperty(
                "last_processed_at", state.lastEventAt().map(Instant::toString).orElse(null));
        document.addProperty("error_count", state.errorCount());
        document.addProperty("position", state.position());
        document.addProperty("parked_aggregates", view.parked().aggregates());
        document.addProperty("parked_events", view.parked().events());
        return document;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
