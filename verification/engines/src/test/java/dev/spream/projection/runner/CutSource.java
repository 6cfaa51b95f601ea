package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A source of which segments are cut off, hang, or wait longer, as a test says. Safe for use by many threads. */
final class CutSource implements EventSource {
    private final EventSource source;
    private final Map<Integer, Integer> polls = new ConcurrentHashMap<>();
    final Set<Integer> cut = ConcurrentHashMap.newKeySet();
    final Set<Integer> hanging = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean hang;
    private volatile Duration longestWait = Duration.ofMinutes(1);

    CutSource(EventSource source) {
        this.source = source;
    }

    /** Returns the number of answered polls of a segment. */
    int polls(int segment) {
        return polls.getOrDefault(segment, 0);
    }

    /** From now on every poll hangs until it is released. */
    void hang() {
        hang = true;
    }

    /** From now on a poll that may wait longer than this waits until its position moves. */
    void waitForEventsAfter(Duration wait) {
        longestWait = wait;
    }

    void release() {
        hang = false;
        released.countDown();
    }

    @Override
    public boolean positioned() {
        return source.positioned();
    }

    @Override
    public EventFeed open(FeedRequest request) {
        requireReachable(request.segment());
        return new Feed(source.open(request), request.segment());
    }

    private void requireReachable(int segment) {
        if (cut.contains(segment)) {
            throw new StorageException("segment %d is cut off".formatted(segment), true, null);
        }
    }

    private final class Feed implements EventFeed {
        private final EventFeed feed;
        private final int segment;

        Feed(EventFeed feed, int segment) {
            this.feed = feed;
            this.segment = segment;
        }

        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            requireReachable(segment);
            if (hang) {
                hanging.add(segment);
                assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
            }
            FeedBatch batch = feed.poll(limit, wait.compareTo(longestWait) > 0 ? Duration.ofHours(1) : wait);
            polls.merge(segment, 1, Integer::sum);
            return batch;
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            feed.acknowledge(items);
        }

        @Override
        public void close() {
            feed.close();
        }
    }

    @Override
    public void close() {
        source.close();
    }
}
