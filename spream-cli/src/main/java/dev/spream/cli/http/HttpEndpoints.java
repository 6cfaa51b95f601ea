package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.api.HttpAddress;
import dev.spream.core.subscription.SubscriptionListener;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP about a subscription: {@code /health}, {@code /ready}, {@code /metrics}, {@code /api/subscription} and a page. It listens
 * from {@link #listen} to {@link #close}, which waits for nobody. The {@linkplain #listeners() listeners} are told what
 * happens by the subscriber; that it drains or failed, whoever runs it has to say. Safe for use by many threads, but for
 * {@code listen}.
 */
public final class HttpEndpoints implements AutoCloseable {
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

    /**
     * Starts to listen; to be called once.
     *
     * @return where the page is, on this machine if it listens on all addresses
     * @throws IOException if the address cannot be listened on, such as one that is in use
     */
    public String listen() throws IOException {
        Listening started = Listening.start(address, observed);
        listening = started;
        return started.url();
    }

    /** The subscription has been told to end, and is not ready any more. */
    public void draining() {
        observed.state().draining();
    }

    /** The subscription has ended with a failure. */
    public void failed(Throwable failure) {
        observed.state().failed(failure);
    }

    /** Stops at once, whoever is still being answered. */
    @Override
    public void close() {
        Listening started = listening;
        if (started != null) {
            started.close();
        }
        observed.metrics().close();
    }
}
