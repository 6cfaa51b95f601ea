package dev.spream.projection.event;

/**
 * Delivers events to projections: at least once, and those of one aggregate in order, unless a source documents
 * otherwise.
 *
 * <p>A <em>positioned</em> source has one order of all events, and can be read from any position, in segments, any
 * number of times: its readers store the position themselves. Any other source delivers unacknowledged events to its
 * open feeds; its readers recognise duplicates by {@link EventEnvelope#eventVersion()}.
 *
 * <p>Safe for use by many threads.
 */
public interface EventSource extends AutoCloseable {

    /** Returns whether it can be read from any position, in segments. */
    boolean positioned();

    /**
     * Opens a feed. Every projection has its own feeds, and its acknowledgements do not affect other projections.
     *
     * @throws dev.spream.core.StorageException if the source cannot be read
     * @throws IllegalArgumentException if a source that is not positioned is asked for segments, or has no such projection
     */
    EventFeed open(FeedRequest request);

    /**
     * Closes the resources that this opened. Open feeds end: their polls and waits throw a {@link
     * dev.spream.core.StorageException} until the feed is closed. Closing again is harmless.
     */
    @Override
    void close();
}
