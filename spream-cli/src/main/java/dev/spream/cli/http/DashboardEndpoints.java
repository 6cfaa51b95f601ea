package dev.spream.cli.http;

import static java.util.stream.Collectors.toMap;

import dev.spream.api.HttpAddress;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * HTTP endpoints of a process that runs nothing and shows what is stored: the page with the partitions of a
 * subscription, if it has one, and with panels. A database that does not answer does not make it unhealthy.
 */
public final class DashboardEndpoints extends Endpoints {
    /** A read of the lineage may take up to a twentieth of the time. */
    private static final int PAUSE = 20;

    private final String name;
    private final Optional<Observed> observed;
    private final InstantSource clock;
    private volatile Instant sampledAt = Instant.MIN;

    /**
     * A stored subscription.
     *
     * @param storage opens its storage on the first call; fails if it cannot be opened yet
     */
    public record Stored(String subscription, Supplier<PartitionStorage> storage) {}

    /**
     * Creates endpoints that do not listen yet.
     *
     * @param name the displayed name
     */
    public DashboardEndpoints(HttpAddress address, String name, Optional<Stored> stored, PageParts parts) {
        this(address, name, stored, parts, InstantSource.system());
    }

    DashboardEndpoints(
            HttpAddress address, String name, Optional<Stored> stored, PageParts parts, InstantSource clock) {
        super(address, parts, clock);
        this.name = name;
        this.clock = clock;
        this.observed = stored.map(subscription -> observed(subscription, clock));
    }

    private static Observed observed(Stored stored, InstantSource clock) {
        RunState state = new RunState();
        state.started(new StoredView(stored.subscription(), stored.storage()));
        return Observed.of(stored.subscription(), clock, state, PAUSE, new SimpleMeterRegistry());
    }

    @Override
    Map<String, Callable<Answer>> answers() {
        Map<String, Callable<Answer>> answers = new HashMap<>(page().answers("dashboard", name, observed.isPresent()));
        observed.ifPresent(shown -> {
            answers.put("/api/subscription", () -> Answer.json(SubscriptionJson.write(shown)));
            answers.put("/api/lag", () -> Answer.json(shown.lags().members().toString()));
        });
        return answers;
    }

    @Override
    Optional<String> problem() {
        return Optional.empty();
    }

    /** Marks the dashboard as running. */
    public void running() {
        state().running();
    }

    /** Samples the lags, at most once in a step of the history. */
    @Override
    void look() {
        Instant now = clock.instant();
        if (observed.isEmpty() || (!now.isBefore(sampledAt) && now.isBefore(sampledAt.plus(LagHistory.STEP)))) {
            return;
        }
        sampledAt = now;
        try {
            sample(observed.get(), now);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the endpoints are being closed
        }
    }

    private static void sample(Observed shown, Instant now) throws InterruptedException {
        shown.stored()
                .look()
                .snapshot()
                .filter(snapshot -> !snapshot.readAt().isBefore(now.minus(LagHistory.STEP)))
                .ifPresent(snapshot -> shown.lags()
                        .add(
                                snapshot.readAt(),
                                snapshot.lineage().partitions().stream()
                                        .filter(partition -> !partition.isFinished())
                                        .collect(toMap(
                                                PartitionMetadata::token,
                                                partition ->
                                                        Observed.behind(partition.watermark(), snapshot.readAt())))));
    }
}
