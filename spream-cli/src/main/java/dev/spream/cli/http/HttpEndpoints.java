package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * HTTP endpoints of a subscription: those of {@link Endpoints}, {@code /api/subscription}, {@code /api/lag} and the
 * page. The state comes from the {@linkplain #listeners() listeners}; the caller reports draining and failure.
 */
public final class HttpEndpoints extends Endpoints {
    private final Observed observed;

    /**
     * Creates endpoints that do not listen yet.
     *
     * @param subscription the displayed name
     */
    public HttpEndpoints(HttpAddress address, String subscription, PageParts parts) {
        this(address, subscription, parts, InstantSource.system());
    }

    HttpEndpoints(HttpAddress address, String subscription, PageParts parts, InstantSource clock) {
        super(address, parts, clock);
        this.observed = Observed.of(subscription, clock, state(), 1, registry());
    }

    /** Returns the listeners to register with the subscriber. */
    public List<SubscriptionListener> listeners() {
        return observed.listeners();
    }

    @Override
    Map<String, Endpoint> answers() {
        Map<String, Endpoint> answers = new HashMap<>(
                page().answers("subscription", observed.subscription(), true, Optional.of(observed.subscription())));
        answers.put("/api/subscription", query -> Answer.json(SubscriptionJson.write(observed)));
        answers.put("/api/lag", query -> Answer.json(observed.lags().members().toString()));
        return answers;
    }

    @Override
    Optional<String> problem() {
        return observed.problem();
    }

    @Override
    void look() {
        observed.look();
    }
}
