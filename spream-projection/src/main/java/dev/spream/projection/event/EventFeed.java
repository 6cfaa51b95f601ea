package dev.spream.projection.event;

import java.time.Duration;
import java.util.Collection;

/**
 * The events for one projection. Used by one thread at a time, except for {@link #close}.
 *
 * <p>Items that {@link #poll} returned belong to the reader until they are acknowledged. A source without positions
 * keeps extending its claim on them until then. When the feed closes, unacknowledged items are returned to the source,
 * and delivered again by a feed that is opened later, here or elsewhere, for each aggregate from its first such event
 * on. Single items cannot be returned: later messages that a broker has already sent could not be recalled, and would
 * be delivered before them.
 */
public interface EventFeed extends AutoCloseable {

    /**
     * Returns the next events, those of an aggregate in order. Waits while there are none and, for a positioned source,
     * the position does not move, which events of other segments move too.
     *
     * @param limit the maximum number of items, 1 or more
     * @param wait the maximum time to wait
     * @return a batch without items if there was nothing, or the position has moved alone
     * @throws dev.spream.core.StorageException if the source cannot be read; the next call tries again, which is
     *     useless if the source or its store was closed
     * @throws InterruptedException if the thread was interrupted; nothing is lost
     */
    FeedBatch poll(int limit, Duration wait) throws InterruptedException;

    /** Acknowledges items whose effects are durable. Has no effect on a positioned source. */
    void acknowledge(Collection<FeedItem> items);

    /** Ends the feed; a waiting {@link #poll} returns. Closing again is harmless. */
    @Override
    void close();
}
