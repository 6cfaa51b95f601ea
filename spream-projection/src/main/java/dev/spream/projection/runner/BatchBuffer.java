package dev.spream.projection.runner;

import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Items that a loop has polled and not applied: they become a batch when there are enough of them, or the first has
 * waited long enough. Confined to the loop's thread.
 */
final class BatchBuffer {
    private static final int BIG = 10_000;
    private static final int FAR = 10; // batches
    private static final long MAX_SIZE = 8L << 20; // characters of events, or bytes of undecodable items

    private final int batch;
    private final long linger;
    private final List<FeedItem> items = new ArrayList<>();
    private int limit;
    private long memory;
    private long position;
    private long head;
    private Duration waited = Duration.ZERO;
    private Instant oldest = Instant.MAX;
    private long until; // end of the wait, if there are items

    BatchBuffer(ProjectionOptions options) {
        this.batch = options.batch();
        this.limit = batch;
        this.linger = TimeUnit.NANOSECONDS.convert(options.linger());
    }

    void add(FeedBatch batch, long now) {
        if (items.isEmpty()) {
            until = now + linger;
        }
        items.addAll(batch.items());
        batch.items().forEach(this::count);
        position = batch.position();
        head = batch.head();
        waited = batch.waited();
    }

    private void count(FeedItem item) {
        memory += size(item);
        Instant at = occurredAt(item);
        oldest = at.isBefore(oldest) ? at : oldest;
    }

    private static Instant occurredAt(FeedItem item) {
        return switch (item) {
            case FeedItem.Event event -> event.envelope().occurredAt();
            case FeedItem.Undecodable undecodable -> undecodable.at();
        };
    }

    private static int size(FeedItem item) {
        return switch (item) {
            case FeedItem.Event event -> event.envelope().eventData().length();
            case FeedItem.Undecodable undecodable -> undecodable.bytes().remaining();
        };
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    int size() {
        return items.size();
    }

    /** Returns the time at which the oldest item occurred, if there is one. */
    Instant oldest() {
        return oldest;
    }

    long head() {
        return head;
    }

    /** Sets the distance from the end of the source: a loop that is far behind gets larger batches, but for those of one. */
    void behind(long events) {
        limit = batch > 1 && events > (long) FAR * batch ? Math.max(batch, Math.min(FAR * batch, BIG)) : batch;
    }

    /** Returns the number of items that still fit; at least one unless the buffer is due. */
    int room() {
        return limit - items.size();
    }

    /**
     * Returns whether waiting is useless: there is no item that others could join, no room or memory for them, or no
     * time.
     */
    boolean isDue(long now) {
        return isEmpty() || room() <= 0 || memory >= MAX_SIZE || until - now <= 0;
    }

    /** Returns the time that it may wait for more, in nanoseconds. */
    long idleNanos(long now) {
        return isEmpty() ? Long.MAX_VALUE : Math.max(0, until - now);
    }

    void makeDue(long now) {
        until = now;
    }

    /** Removes and returns all items, as one batch. */
    FeedBatch take() {
        FeedBatch batch = new FeedBatch(items, position, head, waited);
        items.clear();
        memory = 0;
        oldest = Instant.MAX;
        return batch;
    }
}
