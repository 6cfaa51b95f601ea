package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * HTTP answers about a subscription: those of all {@link Endpoints}, {@code /api/subscription} and a page. The subscriber tells
 * the {@linkplain #listeners() listeners} what happens; that it drains or failed, the caller has to say.
 */
public final class HttpEndpoints extends Endpoints {
    private final Observed observed;

    private HttpEndpoints(HttpAddress address, String subscription, InstantSource clock) {
        super(address);
        this.observed = Observed.of(subscription, clock, state(), registry());
    }

    /**
     * Endpoints that do not listen yet.
     *
     * @param subscription the name under which it is shown
     */
    public static HttpEndpoints of(HttpAddress address, String subscription) {
        return of(address, subscription, InstantSource.system());
    }

    static HttpEndpoints of(HttpAddress address, String subscription, InstantSource clock) {
        return new HttpEndpoints(address, subscription, clock);
    }

    /** The listeners that the subscriber has to have. */
    public List<SubscriptionListener> listeners() {
        return observed.listeners();
    }

    @Override
    Map<String, Router.Endpoint> answers() {
        Map<String, Router.Endpoint> answers = new HashMap<>();
        PageFiles.load().forEach((path, answer) -> answers.put(path, () -> answer));
        answers.put("/api/subscription", () -> Answer.json(SubscriptionJson.write(observed)));
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
