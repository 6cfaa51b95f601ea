package dev.spream.api.spi;

import java.time.InstantSource;
import java.util.Optional;

/**
 * The objects of the host that a plug-in may use while it is created. Only the clock, the stored subscription and the
 * format may be used afterwards.
 */
public interface PluginContext {

    /** Returns the clock of this process. */
    InstantSource clock();

    /**
     * Returns the name of the subscription: the configured {@code subscription}, or else the name of the change stream.
     * It distinguishes subscriptions that share a place, such as a database, and is suitable for names of threads and
     * pools. While the source is created and no name is configured, it is {@code spream}.
     */
    String subscription();

    /**
     * Returns the configured change stream, for an event source that {@linkplain EventSourceProvider#readsChangeStream
     * reads it}.
     *
     * @throws IllegalStateException if the provider has not declared that it reads one
     */
    default SharedChangeStream changeStream() {
        throw new IllegalStateException(
                "changeStream is available only to an event source whose provider returns true from readsChangeStream");
    }

    /**
     * Returns the subscription whose changes a sink gets, as its partition storage has it. Empty for a sink that gets dead
     * letters alone, to replay them, and for every other plug-in.
     */
    default Optional<StoredSubscription> storedSubscription() {
        return Optional.empty();
    }

    /**
     * Returns the format that a sink's key {@code format} names, if that is a plug-in's. Of its objects, all may be used
     * until the sink is closed.
     *
     * @throws IllegalStateException if the sink names none
     */
    default Format format() {
        throw new IllegalStateException("format is available only to a sink whose key format names that of a plug-in");
    }

    /**
     * Registers a resource, such as a connection pool, to be closed after the created object, in reverse order of
     * registration. If the creation fails, it is closed at once.
     */
    void onClose(AutoCloseable resource);
}
