package dev.spream.cli.http;

import java.io.IOException;

/**
 * What a process answers to HTTP about what it runs. It listens from {@link #listen} to {@link #close}, which waits for
 * nobody. Safe for use by many threads, but for {@code listen}.
 */
public interface Endpoints extends AutoCloseable {

    /**
     * Starts to listen; to be called once.
     *
     * @return where, on this machine if it listens on all addresses
     * @throws IOException if the address cannot be listened on, such as one that is in use
     */
    String listen() throws IOException;

    /** What runs has been told to end, and is not ready any more. */
    void draining();

    /** What ran has ended with a failure. */
    void failed(Throwable failure);

    /** Stops at once, whoever is still being answered. */
    @Override
    void close();
}
