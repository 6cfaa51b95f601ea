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
 * The HTTP endpoints of a command while it runs, if it was told to have any. Safe for use by many threads.
 *
 * @param <E> what it shows
 */
public final class Operations<E extends Endpoints> implements AutoCloseable {
    private final Optional<HttpAddress> address;
    private final Optional<E> endpoints;

    /**
     * Nothing is shown yet.
     *
     * @param address empty to show nothing ever
     * @param making makes what is shown there
     */
    public Operations(Optional<HttpAddress> address, Function<HttpAddress, E> making) {
        this.address = address;
        this.endpoints = address.map(making);
    }

    /** Where a configuration wants it shown; what is no address is among the problems of the configuration. */
    public static Optional<HttpAddress> address(SpreamConfig config) {
        try {
            return config.raw("http").map(HttpAddress::parse);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What is shown, if anything is. */
    public Optional<E> endpoints() {
        return endpoints;
    }

    /**
     * Runs what is shown meanwhile.
     *
     * @throws CommandFailure if the address cannot be listened on; nothing runs then
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
                    "cannot listen on %s: %s; nothing was run. Choose another port, or 0 for any that is free"
                            .formatted(address.orElseThrow(), e.getMessage()),
                    e);
        }
    }

    /** What runs has been told to end. */
    public void draining() {
        endpoints.ifPresent(Endpoints::draining);
    }

    @Override
    public void close() {
        endpoints.ifPresent(Endpoints::close);
    }
}
