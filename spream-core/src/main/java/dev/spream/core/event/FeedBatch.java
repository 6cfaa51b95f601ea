package dev.spream.core.event;

import java.util.List;

/**
 * What a feed delivered at once.
 *
 * @param items in order
 * @param position of a positioned source: nothing up to here is left to deliver, once these are done; otherwise 0
 * @param head of a positioned source: the position of the last event that there is, as far as it is final, never below
 *     {@code position}; otherwise 0
 */
public record FeedBatch(List<FeedItem> items, long position, long head) {
    public FeedBatch {
        items = List.copyOf(items);
        if (position < 0 || head < position) {
            throw new IllegalArgumentException("position %d with head %d".formatted(position, head));
        }
    }

    /** Of a source without positions. */
    public static FeedBatch of(List<FeedItem> items) {
        return new FeedBatch(items, 0, 0);
    }
}
