package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits a feed with positions to the events that the live version has processed, and holds later ones back until it
 * has. The limit is read only when there are events after the known one, and periodically. Confined to a loop's thread,
 * except for {@link #close}.
 */
final class FollowingFeed implements EventFeed {
    private static final long ASK_EVERY = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_POLL = TimeUnit.MILLISECONDS.toNanos(200);

    private final EventFeed feed;
    private final LongSupplier live;
    private final MonotonicTime time;
    private final Waiter wake;
    private final Deque<FeedItem> kept = new ArrayDeque<>();
    private long position; // position up to which everything was read
    private long head;
    private long allowed;
    private long delivered; // the last reported position
    private long askNotBefore;
    private volatile boolean closed;

    /**
     * @param after the position after which it begins
     * @param live returns the position of the live version
     */
    FollowingFeed(EventFeed feed, long after, LongSupplier live, MonotonicTime time) {
        this.feed = feed;
        this.live = live;
        this.time = time;
        this.wake = new Waiter(time);
        this.position = after;
        this.head = after;
        this.allowed = after;
        this.delivered = after;
        this.askNotBefore = time.nanoTime();
    }

    @Override
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        long until = time.nanoTime() + TimeUnit.NANOSECONDS.convert(wait);
        if (kept.isEmpty() && position <= allowed) {
            read(limit, until);
        }
        while (!isAllowed() && !closed && until - time.nanoTime() > 0) {
            long pause = askNotBefore - time.nanoTime();
            if (pause > 0) {
                wake.await(Math.min(pause, until - time.nanoTime()));
            } else {
                ask();
            }
        }
        return deliver(limit);
    }

    private void read(int limit, long until) throws InterruptedException {
        long wait = Math.max(0, Math.min(LONGEST_POLL, until - time.nanoTime()));
        FeedBatch batch = feed.poll(limit, Duration.ofNanos(wait));
        kept.addAll(batch.items());
        position = batch.position();
        head = batch.head();
        if (position > allowed && askNotBefore - time.nanoTime() <= 0) {
            ask();
        }
    }

    private void ask() {
        allowed = Math.max(allowed, live.getAsLong());
        askNotBefore = time.nanoTime() + ASK_EVERY;
    }

    /** Returns whether there is a new position to report. */
    private boolean isAllowed() {
        return kept.isEmpty() ? position <= allowed || allowed > delivered : position(kept.getFirst()) <= allowed;
    }

    private FeedBatch deliver(int limit) {
        List<FeedItem> items = new ArrayList<>();
        while (items.size() < limit && !kept.isEmpty() && position(kept.getFirst()) <= allowed) {
            items.add(kept.removeFirst());
        }
        long upTo = kept.isEmpty() ? position : Math.min(position, position(kept.getFirst()) - 1);
        delivered = Math.max(delivered, Math.min(upTo, allowed));
        return new FeedBatch(items, delivered, Math.max(head, delivered));
    }

    private static long position(FeedItem item) {
        return switch (item) {
            case FeedItem.Event event -> event.position();
            case FeedItem.Undecodable undecodable -> 0;
        };
    }

    @Override
    public void acknowledge(Collection<FeedItem> items) {
        feed.acknowledge(items);
    }

    @Override
    public void close() {
        closed = true;
        wake.signal();
        feed.close();
    }
}
