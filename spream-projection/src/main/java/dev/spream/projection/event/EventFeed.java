package dev.spream.projection.event;

import java.time.Duration;
import java.util.Collection;

/**
 * Events on their way to one projection. Used by one thread at a time, except for {@link #close}.
 *
 * <p>What {@link #poll} returned is the reader's until it is acknowledged. A source without positions keeps extending its hold
 * on it until then, and what is not acknowledged when the feed closes is given back: it comes again from a feed that is opened
 * later, here or elsewhere, an aggregate from its first such event on. There is no giving back of some: what a broker has sent
 * behind it could not be called back, and would come before it.
 */
public interface EventFeed extends AutoCloseable {

    /**
     * The next events, those of an aggregate in their order. Waits while there are none.
     *
     * @param limit how many at most, 1 or more
     * @param wait how long at most
     * @return without items if there was nothing; its position may have moved on all the same
     * @throws dev.spream.core.StorageException if the source cannot be read; the next call tries again, in vain if the source or
     *     its store was closed, and this was not
     * @throws InterruptedException if the thread was interrupted; nothing is lost
     */
    FeedBatch poll(int limit, Duration wait) throws InterruptedException;

    /** Acknowledges items whose effects are durable. Has no effect on a positioned source. */
    void acknowledge(Collection<FeedItem> items);

    /** Ends it; a {@link #poll} that waits returns. Closing again is harmless. */
    @Override
    void close();
}
