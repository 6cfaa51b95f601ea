package dev.spream.core.event;

import java.time.Duration;
import java.util.Collection;

/**
 * Events on their way to one projection. Used by one thread at a time, except for {@link #close}.
 *
 * <p>What {@link #poll} returned is the reader's until it is acknowledged or given back. A source without positions keeps
 * extending its hold on it until then; what is neither when the feed closes comes again.
 */
public interface EventFeed extends AutoCloseable {

    /**
     * The next events, those of an aggregate in their order. Waits while there are none.
     *
     * @param limit how many at most, 1 or more
     * @param wait how long at most
     * @return without items if there was nothing; its position may have moved on all the same
     * @throws dev.spream.core.StorageException if the source cannot be read; the next call tries again
     * @throws InterruptedException if the thread was interrupted; nothing is lost
     */
    FeedBatch poll(int limit, Duration wait) throws InterruptedException;

    /** These are dealt with for good: their effects are durable. Of a positioned source it changes nothing. */
    void acknowledge(Collection<FeedItem> items);

    /** These were not dealt with: deliver them again, here or elsewhere. Of a positioned source they come from a new feed. */
    void giveBack(Collection<FeedItem> items);

    /** Ends it; a {@link #poll} that waits returns. Closing again is harmless. */
    @Override
    void close();
}
