package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * HTTP endpoints of a process that runs nothing and shows what is stored: the page with the subscriptions of a storage,
 * if it has one, and with panels. A database that does not answer does not make it unhealthy.
 */
public final class DashboardEndpoints extends Endpoints {
    private final String name;
    private final Optional<Stored> stored;
    private final Optional<ObservedSubscriptions> observed;

    /**
     * The stored subscriptions.
     *
     * @param chosen the displayed name of the configured subscription; empty if none is configured
     */
    public record Stored(Optional<String> chosen, StoredSubscriptions subscriptions) {}

    /**
     * Creates endpoints that do not listen yet.
     *
     * @param name the displayed name
     */
    public DashboardEndpoints(HttpAddress address, String name, Optional<Stored> stored, PageParts parts) {
        super(address, parts, InstantSource.system());
        this.name = name;
        this.stored = stored;
        this.observed = stored.map(
                found -> new ObservedSubscriptions(found.chosen(), found.subscriptions(), InstantSource.system()));
    }

    @Override
    Map<String, Endpoint> answers() {
        Map<String, Endpoint> answers =
                new HashMap<>(page().answers("dashboard", name, stored.isPresent(), stored.flatMap(Stored::chosen)));
        observed.ifPresent(shown -> {
            answers.put("/api/subscription", query -> shown.answer(query, SubscriptionJson::write));
            answers.put(
                    "/api/lag",
                    query -> shown.answer(query, one -> one.lags().members().toString()));
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

    @Override
    void look() {
        observed.ifPresent(ObservedSubscriptions::sample);
    }
}
