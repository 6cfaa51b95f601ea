package dev.spream.cli.http;

import dev.spream.api.HttpAddress;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * HTTP endpoints of a subscription: those of {@link Endpoints}, {@code /api/subscription} and the page. The state comes
 * from the {@linkplain #listeners() listeners}; the caller reports draining and failure.
 */
public final class HttpEndpoints extends Endpoints {
    private final Observed observed;

    /**
     * Creates endpoints that do not listen yet.
     *
     * @param subscription the displayed name
     */
    public HttpEndpoints(HttpAddress address, String subscription) {
        this(address, subscription, InstantSource.system());
    }

    HttpEndpoints(HttpAddress address, String subscription, InstantSource clock) {
        super(address);
        this.observed = Observed.of(subscription, clock, state(), registry());
    }

    /** Returns the listeners to register with the subscriber. */
    public List<SubscriptionListener> listeners() {
        return observed.listeners();
    }

    @Override
    Map<String, Callable<Answer>> answers() {
        Map<String, Callable<Answer>> answers = new HashMap<>();
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
