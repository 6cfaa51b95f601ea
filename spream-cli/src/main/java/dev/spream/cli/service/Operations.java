package dev.spream.cli.service;

import dev.spream.api.HttpAddress;
import dev.spream.api.config.SpreamConfig;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.http.Endpoints;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * The HTTP endpoints of a running command, if configured. Safe for use by many threads.
 *
 * @param <E> the type of the endpoints
 */
public final class Operations<E extends Endpoints> implements AutoCloseable {
    private final Optional<HttpAddress> address;
    private final Optional<E> endpoints;

    /**
     * Creates operations without endpoints, which are opened by {@link #show}.
     *
     * @param address empty for no endpoints
     * @param making creates the endpoints
     */
    public Operations(Optional<HttpAddress> address, Function<HttpAddress, E> making) {
        this.address = address;
        this.endpoints = address.map(making);
    }

    /** Returns the configured address. An invalid one is reported among the problems of the configuration. */
    public static Optional<HttpAddress> address(SpreamConfig config) {
        try {
            return config.raw("http").map(HttpAddress::parse);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the configured token for commands of the page. An invalid one is reported like an invalid address. */
    public static Optional<String> token(SpreamConfig config) {
        return config.raw("http-token");
    }

    /** Returns the endpoints, if there are any. */
    public Optional<E> endpoints() {
        return endpoints;
    }

    /**
     * Runs the command with its endpoints.
     *
     * @throws CommandFailure if the address cannot be bound; the command is not run then
     */
    public int show(Callable<Integer> run) throws Exception {
        endpoints.ifPresent(this::listen);
        try {
            return run.call();
        } catch (Exception e) {
            endpoints.ifPresent(open -> open.failed(e));
            throw e;
        }
    }

    private void listen(E open) {
        try {
            System.err.println("http: " + open.listen());
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot listen on %s: %s; nothing was run. Choose another port, or 0 for any free one"
                            .formatted(address.orElseThrow(), e.getMessage()),
                    e);
        }
    }

    /** Marks the start of a shutdown. */
    public void draining() {
        endpoints.ifPresent(Endpoints::draining);
    }

    @Override
    public void close() {
        endpoints.ifPresent(Endpoints::close);
    }
}
