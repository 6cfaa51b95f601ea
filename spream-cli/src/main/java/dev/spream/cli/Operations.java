package dev.spream.cli;

import dev.spream.api.HttpAddress;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.core.subscription.SubscriptionListener;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What a command shows of itself by HTTP while it runs, if it was told to. Safe for use by many threads. */
final class Operations implements AutoCloseable {
    private final Optional<HttpAddress> address;
    private final Optional<HttpEndpoints> endpoints;

    /**
     * Nothing is shown yet.
     *
     * @param address empty to show nothing ever
     * @param subscription the name under which it is shown
     */
    Operations(Optional<HttpAddress> address, String subscription) {
        this.address = address;
        this.endpoints = address.map(where -> HttpEndpoints.of(where, subscription));
    }

    /** Who has to be told what happens in the subscription. */
    List<SubscriptionListener> listeners() {
        return endpoints.map(HttpEndpoints::listeners).orElse(List.of());
    }

    /**
     * Runs the subscription, and shows it meanwhile.
     *
     * @throws CommandFailure if the address cannot be listened on; nothing runs then
     */
    int show(Callable<Integer> run) throws Exception {
        endpoints.ifPresent(this::listen);
        try {
            return run.call();
        } catch (Exception e) {
            endpoints.ifPresent(open -> open.failed(e));
            throw e;
        }
    }

    private void listen(HttpEndpoints open) {
        try {
            System.err.println("http: " + open.listen());
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot listen on %s: %s; nothing was read. Choose another port, or 0 for any that is free"
                            .formatted(address.orElseThrow(), e.getMessage()),
                    e);
        }
    }

    /** The subscription has been told to end. */
    void draining() {
        endpoints.ifPresent(HttpEndpoints::draining);
    }

    @Override
    public void close() {
        endpoints.ifPresent(HttpEndpoints::close);
    }
}
