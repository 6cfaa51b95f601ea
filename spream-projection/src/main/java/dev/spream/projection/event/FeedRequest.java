package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

/**
 * A request for a feed: the events that it is to deliver.
 *
 * @param projection the projection that reads the feed
 * @param segment the segment, from 0 to {@code segments} - 1. An aggregate always belongs to the same segment
 * @param segments 1 for all events; a power of 2 up to 256
 * @param after the position after which to begin; 0 for the first event, and for sources without positions
 */
public record FeedRequest(String projection, int segment, int segments, long after) {
    private static final int MAX_SEGMENTS = 256;

    public FeedRequest {
        requireNonNull(projection, "projection");
        if (segments < 1 || segments > MAX_SEGMENTS || Integer.bitCount(segments) != 1) {
            throw new IllegalArgumentException(
                    "%d segments: must be a power of 2 from 1 to %d".formatted(segments, MAX_SEGMENTS));
        }
        if (segment < 0 || segment >= segments) {
            throw new IllegalArgumentException(
                    "segment is %d of %d, must be 0 or more and below their number".formatted(segment, segments));
        }
        if (after < 0) {
            throw new IllegalArgumentException("position %d is negative".formatted(after));
        }
    }

    /** Returns the request for all events, from where the source continues. */
    public static FeedRequest all(String projection) {
        return new FeedRequest(projection, 0, 1, 0);
    }
}
