package dev.spream.testkit.event;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A source without positions for tests. It delivers to each projection all items, written before or after its first
 * feed was opened, until they are acknowledged; each item to one feed at a time. A released item returns to its old
 * place.
 */
public final class QueueEventSource implements EventSource {
    private final Broker broker;
    private final Queue<Feed> feeds = new ConcurrentLinkedQueue<>();

    public QueueEventSource() {
        this(new Broker());
    }

    private QueueEventSource(Broker broker) {
        this.broker = broker;
    }

    /** Returns another source that delivers the same items, as in another process. */
    public QueueEventSource another() {
        return new QueueEventSource(broker);
    }

    public void write(EventEnvelope event) {
        broker.write(delivery -> new FeedItem.Event(delivery, 0, event));
    }

    public void writeUndecodable(String origin) {
        broker.write(delivery -> new FeedItem.Undecodable(
                delivery,
                origin,
                ByteBuffer.wrap(new byte[] {1, 2, 3}),
                Map.of("of", "a test"),
                "no JSON",
                TestEvents.NOON));
    }

    @Override
    public boolean positioned() {
        return false;
    }

    @Override
    public EventFeed open(FeedRequest request) {
        if (request.segments() != 1) {
            throw new IllegalArgumentException("the source has no segments");
        }
        Feed feed = new Feed(broker, request.projection());
        feeds.add(feed);
        return feed;
    }

    @Override
    public void close() {
        feeds.forEach(Feed::end);
    }

    /** Creates an item of one delivery. */
    private interface Written {
        FeedItem delivered(long delivery);
    }

    private static final class Broker {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        /** Guarded by the lock, as are the fields below. */
        private final List<Written> written = new ArrayList<>();

        private final Map<String, NavigableMap<Integer, Written>> waiting = new TreeMap<>();
        private long deliveries;

        void write(Written item) {
            lock.lock();
            try {
                written.add(item);
                waiting.values().forEach(queue -> queue.put(written.size(), item));
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        NavigableMap<Integer, Written> queue(String projection) {
            return waiting.computeIfAbsent(projection, first -> {
                NavigableMap<Integer, Written> all = new TreeMap<>();
                for (Written item : written) {
                    all.put(all.size() + 1, item);
                }
                return all;
            });
        }
    }

    private static final class Feed implements EventFeed {
        private final Broker broker;
        private final String projection;

        /** The numbers of items in flight, by delivery. Guarded by the broker's lock, as are the fields below. */
        private final Map<Long, Integer> held = new LinkedHashMap<>();

        private boolean ended;
        private boolean closed;

        Feed(Broker broker, String projection) {
            this.broker = broker;
            this.projection = projection;
        }

        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            long left = TimeUnit.NANOSECONDS.convert(wait);
            broker.lock.lockInterruptibly();
            try {
                NavigableMap<Integer, Written> queue = broker.queue(projection);
                while (queue.isEmpty() && left > 0 && !ended && !closed) {
                    left = broker.changed.awaitNanos(left);
                }
                if (ended && !closed) {
                    throw new StorageException("the source is closed; open another", false, null);
                }
                List<FeedItem> items = new ArrayList<>();
                while (!closed && !queue.isEmpty() && items.size() < limit) {
                    Map.Entry<Integer, Written> next = queue.pollFirstEntry();
                    long delivery = ++broker.deliveries;
                    held.put(delivery, next.getKey());
                    items.add(next.getValue().delivered(delivery));
                }
                return FeedBatch.of(items);
            } finally {
                broker.lock.unlock();
            }
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            broker.lock.lock();
            try {
                items.forEach(item -> held.remove(item.deliveryId()));
            } finally {
                broker.lock.unlock();
            }
        }

        private void putBack(@org.jspecify.annotations.Nullable Integer number) {
            if (number != null) {
                broker.queue(projection).put(number, broker.written.get(number - 1));
            }
        }

        @Override
        public void close() {
            broker.lock.lock();
            try {
                closed = true;
                end();
            } finally {
                broker.lock.unlock();
            }
        }

        /** Closes the feed with its source. */
        void end() {
            broker.lock.lock();
            try {
                ended = true;
                held.values().forEach(this::putBack);
                held.clear();
                broker.changed.signalAll();
            } finally {
                broker.lock.unlock();
            }
        }
    }
}
