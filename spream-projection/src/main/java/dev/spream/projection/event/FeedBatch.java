package dev.spream.projection.event;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.List;

/**
 * The items that a feed delivered at once.
 *
 * @param items the items, in order
 * @param position for a positioned source, the position up to which nothing is left to deliver once these items are
 *     processed; otherwise 0
 * @param head for a positioned source, the position of the last event, never below {@code position}; if final positions
 *     cannot be determined, the last position that was assigned; otherwise 0
 * @param waited the time for which nothing after {@code position} could be delivered, although there may be events,
 *     because an append is still open; for a source without positions, the time for which a part of it has been
 *     unreadable, which the source itself retries. Otherwise 0
 */
public record FeedBatch(List<FeedItem> items, long position, long head, Duration waited) {
    public FeedBatch {
        items = List.copyOf(items);
        if (position < 0 || head < position) {
            throw new IllegalArgumentException(
                    "position is %d and head is %d, must be 0 or more and not below the position"
                            .formatted(position, head));
        }
        if (waited.isNegative() || (waited.isPositive() && head == position && position > 0)) {
            throw new IllegalArgumentException(
                    "waited is %s at position %d, which is the head: must be zero, because nothing follows"
                            .formatted(DurationText.of(waited), position));
        }
    }

    /** Creates a batch of a source whose events up to the head are all final. */
    public FeedBatch(List<FeedItem> items, long position, long head) {
        this(items, position, head, Duration.ZERO);
    }

    /** Returns a batch of a source without positions, all of which can be read. */
    public static FeedBatch of(List<FeedItem> items) {
        return of(items, Duration.ZERO);
    }

    /** Returns a batch of a source without positions. */
    public static FeedBatch of(List<FeedItem> items, Duration waited) {
        return new FeedBatch(items, 0, 0, waited);
    }
}
