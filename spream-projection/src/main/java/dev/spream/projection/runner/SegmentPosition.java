package dev.spream.projection.runner;

import dev.spream.projection.event.FeedRequest;
import java.util.concurrent.TimeUnit;

/**
 * The position up to which a segment is processed, and when it is due to be stored if it moves without events: soon,
 * and at most five times a second, so that it is not a write for each event of other segments. The segments of a
 * version do so one after another, so that they do not delay the batches of the others. Confined to a loop's thread.
 */
final class SegmentPosition {
    static final long EVERY = TimeUnit.MILLISECONDS.toNanos(200);
    static final long SPACING = TimeUnit.MILLISECONDS.toNanos(4); // between the segments of a version
    static final long FOLLOWED_EVERY = TimeUnit.MILLISECONDS.toNanos(50); // a cutover waits for it

    private final FeedRequest request;
    private long processed;
    private long stored;
    private long storedAt;
    private long movedAt; // if it is ahead of the stored one, since then

    SegmentPosition(FeedRequest request, long now) {
        this.request = request;
        this.processed = request.after();
        this.stored = processed;
        this.storedAt = now;
        this.movedAt = now;
    }

    long processed() {
        return processed;
    }

    /** Returns whether the store has a lower one. */
    boolean isAhead() {
        return processed > stored;
    }

    void processedUpTo(long position, long now) {
        if (!isAhead()) {
            movedAt = now;
        }
        processed = Math.max(processed, position);
    }

    void storedUpTo(long position, long now) {
        stored = position;
        storedAt = now;
    }

    /**
     * Returns the time until it is due, in nanoseconds; 0 or less if it is.
     *
     * @param live whether the version is the live one, which no other follows
     */
    long untilDue(boolean live, long now) {
        if (!live) {
            return storedAt + FOLLOWED_EVERY - now;
        }
        long every = Math.max(EVERY, request.segments() * SPACING);
        return Math.max(storedAt + every - now, movedAt + request.segment() * SPACING - now);
    }
}
