package dev.spream.projection.changestream;

import dev.spream.core.StorageException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed that runs a subscriber whose consumer queues the rows of a change and returns only when they are acknowledged,
 * so that the subscriber's watermarks follow acknowledgements. There are as many concurrent calls as changes may be in
 * flight. A subscriber that fails ends; the failure is thrown by a poll, and the poll after that starts another.
 */
final class ChangeStreamFeed implements EventFeed, Consumer {
    private static final Logger log = LoggerFactory.getLogger(ChangeStreamFeed.class);

    /** The actions that close a feed. */
    interface Closing {
        void closed(ChangeStreamFeed feed);
    }

    private final String label;
    private final Supplier<Subscriber> subscribers;
    private final EventRows rows;
    private final ReadOrderBuffer order;
    private final ReadStallTracker unread;
    private final Closing onClose;
    private final FeedQueue<CountDownLatch> queue = new FeedQueue<>();
    private final Set<String> otherTables = ConcurrentHashMap.newKeySet();
    private final SectionLock lock = new SectionLock();

    // Guarded by lock.
    private @Nullable Subscriber running;
    private boolean closed;
    private boolean completed;

    /**
     * @param label the stream and the projection, for messages and threads
     * @param subscribers creates a subscriber whose source reports to the {@link ReadOrderRecorder} of the order
     * @param unread the listener of these subscribers
     * @param onClose called once, after the last subscriber has ended
     */
    ChangeStreamFeed(
            String label,
            Supplier<Subscriber> subscribers,
            EventRows rows,
            ReadOrderBuffer order,
            ReadStallTracker unread,
            Closing onClose) {
        this.label = label;
        this.subscribers = subscribers;
        this.rows = rows;
        this.order = order;
        this.unread = unread;
        this.onClose = onClose;
    }

    /** Starts a subscriber, unless one runs. */
    void start() {
        lock.run(() -> {
            if (running == null && !closed && !completed) {
                Subscriber subscriber = subscribers.get();
                running = subscriber;
                Thread.ofVirtual().name("spream-" + label + "-events").start(() -> run(subscriber));
            }
        });
    }

    private void run(Subscriber subscriber) {
        try {
            ended(subscriber.run(this) == CompletionReason.COMPLETED);
        } catch (Throwable t) {
            ended(false); // before the failure shows: the poll after it starts another
            queue.fail(new StorageException(
                    "[%s] events cannot be read: %s; unacknowledged events are delivered again when they can be read"
                            .formatted(label, t.getMessage()),
                    mayPass(t),
                    t));
        }
    }

    /**
     * Returns whether another subscriber may succeed: failures of the storage at the end of a run are not retried by
     * it.
     */
    private static boolean mayPass(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StorageException storage) {
                return storage.retryable();
            }
            if (cause instanceof SourceException source) {
                return source.kind() == SourceException.Kind.TRANSIENT;
            }
        }
        return false;
    }

    private void ended(boolean atEnd) {
        lock.run(() -> {
            running = null;
            completed |= atEnd;
        });
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws InterruptedException {
        List<EventRow> read = read(change);
        CountDownLatch unacknowledged = new CountDownLatch(read.size());
        order.arrived(delivery.partition(), change, () -> queue.add(deliveries(unacknowledged, read)));
        try {
            unacknowledged.await();
        } catch (InterruptedException e) {
            order.left(delivery.partition(), change);
            queue.withdraw(unacknowledged::equals);
            if (unacknowledged.getCount() > 0) {
                throw e;
            }
        }
    }

    private static List<FeedQueue.Delivery<CountDownLatch>> deliveries(CountDownLatch handle, List<EventRow> rows) {
        return rows.stream()
                .map(row -> new FeedQueue.Delivery<>(handle, row.item()))
                .toList();
    }

    private List<EventRow> read(DataChangeRecord change) {
        if (!rows.concerns(change) && otherTables.add(change.tableName())) {
            log.info("[{}] ignoring changes of table {}, which is not the events table", label, change.tableName());
        }
        return rows.of(change);
    }

    @Override
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        start();
        FeedBatch batch = queue.poll(limit, wait);
        return hasCompleted() ? batch : FeedBatch.of(batch.items(), unread.lasted());
    }

    /** Returns whether the subscription is completed, so that nothing is left to read. */
    private boolean hasCompleted() {
        return lock.get(() -> completed);
    }

    @Override
    public void acknowledge(Collection<FeedItem> items) {
        queue.settle(items).forEach(CountDownLatch::countDown);
    }

    @Override
    public void close() {
        queue.close();
        stop();
    }

    /** Ends the feed because its source is closed. */
    void end() {
        queue.end(() -> new StorageException(
                "[%s] events cannot be read: the event source is closed; open another one, which delivers unacknowledged events again"
                        .formatted(label),
                false,
                null));
        stop();
    }

    private void stop() {
        Subscriber toClose;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            toClose = running;
        } finally {
            lock.unlock();
        }
        try {
            if (toClose != null) {
                toClose.close();
            }
        } finally {
            onClose.closed(this);
        }
    }
}
