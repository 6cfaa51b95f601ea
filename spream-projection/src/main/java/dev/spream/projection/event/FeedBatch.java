package dev.spream.projection.event;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.List;

/**
 * The items that a feed delivered at once.
 *
 * @param items in order
 * @param position of a positioned source: nothing up to here is left to deliver, once these are done; otherwise 0
 * @param head of a positioned source: the position of the last event that there is, never below {@code position}; where it cannot
 *     be known which are final, the last position that was given to any; otherwise 0
 * @param waited how long nothing after {@code position} could be delivered, though there may be events, because an append is
 *     still open; of a source without positions, how long a part of it has not been readable, which the source tries again
 *     itself. 0 if that is not so
 */
public record FeedBatch(List<FeedItem> items, long position, long head, Duration waited) {
    public FeedBatch {
        items = List.copyOf(items);
        if (position < 0 || head < position) {
            throw new IllegalArgumentException("position %d with head %d".formatted(position, head));
        }
        if (waited.isNegative() || (waited.isPositive() && head == position && position > 0)) {
            throw new IllegalArgumentException(
                    "waited for %s behind position %d, the last".formatted(DurationText.of(waited), position));
        }
    }

    /** All up to the head is final. */
    public FeedBatch(List<FeedItem> items, long position, long head) {
        this(items, position, head, Duration.ZERO);
    }

    /** Of a source without positions, all of which can be read, as far as it knows. */
    public static FeedBatch of(List<FeedItem> items) {
        return of(items, Duration.ZERO);
    }

    /** Of a source without positions. */
    public static FeedBatch of(List<FeedItem> items, Duration waited) {
        return new FeedBatch(items, 0, 0, waited);
    }
}
