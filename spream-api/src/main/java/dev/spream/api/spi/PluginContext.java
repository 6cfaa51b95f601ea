package dev.spream.api.spi;

import java.time.InstantSource;

/** The things of the host that a plug-in is lent while it is made. Of no use afterwards, but for the clock. */
public interface PluginContext {

    /** The clock of this process. */
    InstantSource clock();

    /**
     * The name of the subscription: what is configured as {@code subscription}, and else the change stream's. It tells
     * subscriptions apart that share a place, such as a database, and fits into names of threads and pools. While the source
     * is made, and its name not configured, it is {@code spream}.
     */
    String subscription();

    /**
     * The change stream that is configured, for an event source that {@linkplain EventSourceProvider#readsChangeStream reads
     * it}.
     *
     * @throws IllegalStateException if none is lent: what is made has not said that it reads one
     */
    default SharedChangeStream changeStream() {
        throw new IllegalStateException("no change stream is lent to what has not said that it reads one");
    }

    /**
     * Leaves something to be closed after what is being made, such as its connection pool; what was left last is closed
     * first. If making it fails, that happens at once.
     */
    void onClose(AutoCloseable resource);
}
