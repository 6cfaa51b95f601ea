package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.api.HttpAddress;
import dev.spream.core.subscription.SubscriptionListener;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP about a subscription: {@code /health}, {@code /ready}, {@code /metrics}, {@code /api/subscription} and a page.
 * The {@linkplain #listeners() listeners} are told what happens by the subscriber; that it drains or failed, whoever runs it
 * has to say.
 */
public final class HttpEndpoints implements Endpoints {
    private final HttpAddress address;
    private final Observed observed;
    private volatile @Nullable Listening listening;

    private HttpEndpoints(HttpAddress address, Observed observed) {
        this.address = address;
        this.observed = observed;
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
        return new HttpEndpoints(requireNonNull(address, "address"), Observed.of(subscription, clock));
    }

    /** Who has to be told what happens in the subscription. */
    public List<SubscriptionListener> listeners() {
        return observed.listeners();
    }

    @Override
    public String listen() throws IOException {
        Listening started = Listening.start(address, answers(), observed::look);
        listening = started;
        return started.url();
    }

    private Map<String, Router.Endpoint> answers() {
        Map<String, Router.Endpoint> answers = new HashMap<>();
        PageFiles.load().forEach((path, answer) -> answers.put(path, () -> answer));
        answers.put("/health", () -> observed.state().health(observed.problem()));
        answers.put("/ready", observed.state()::ready);
        answers.put("/metrics", observed.metrics()::scrape);
        answers.put("/api/subscription", () -> Answer.json(SubscriptionJson.write(observed)));
        return answers;
    }

    @Override
    public void draining() {
        observed.state().draining();
    }

    @Override
    public void failed(Throwable failure) {
        observed.state().failed(failure);
    }

    @Override
    public void close() {
        Listening started = listening;
        if (started != null) {
            started.close();
        }
        observed.metrics().close();
    }
}
