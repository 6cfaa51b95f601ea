package dev.spream.projection.changestream;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * An event source that delivers the rows inserted into a table of events, read from a change stream of that table.
 *
 * <pre>{@code
 * EventSource events = new ChangeStreamEventSource(
 *         stream,
 *         projection -> partitionStorages.open(projection),
 *         EventTableMapping.named("Events"),
 *         ChangeStreamEventSource.options().build());
 * }</pre>
 *
 * <p>Every projection is a subscription of its own, with a {@link PartitionStorage} of its own; processes that have a
 * feed open for the same projection share its partitions. A new subscription begins now, or at {@link
 * SubscriberOptions#startTimestamp()}. Events that were inserted before, or that are older than the stream's retention
 * period, must come from another source. A watermark passes a row when its item is acknowledged. So nothing is lost,
 * and after a restart the items from the stored watermark on, inclusive, are delivered again.
 *
 * <p><b>Order.</b> The items of a partition are delivered in commit order, and the rows of one change in the order of
 * their versions. The items of a child partition follow after all items of its parents are acknowledged. The events of
 * one aggregate may come from several partitions at once: seldom if the table's primary key begins with the aggregate's
 * id, and usually with another key. So a later version may come before an earlier one. The projection then waits for
 * the missing version ({@code ProjectionOptions.Gaps#WAIT}); it also waits for versions from before the subscription,
 * which do not come. In a stream with mutable key ranges, key ranges move between living partitions without a wait, and
 * the versions alone keep the order.
 *
 * <p><b>Failures.</b> The subscription retries transient failures. While a part of the stream, or the partition
 * storage, has been unreadable for more than five seconds, {@link FeedBatch#waited} of a feed reports it, and no
 * projection counts as caught up.
 *
 * <p><b>Changes</b>
 *
 * <ul>
 *   <li>An inserted row is an event. A row that cannot be read as one, because a column is null or not watched or the data
 *       are not JSON, is undecodable: its bytes are the change with that row alone, as JSON.
 *   <li>Deletes are ignored: an event remains a fact after its row was removed.
 *   <li>An update of one of the event's columns is undecodable, since events are immutable and an event may have been
 * overwritten. With the value capture type {@code NEW_ROW} the stream does not report which columns were modified, so
 *     every update is treated like this. Otherwise updates of other columns are ignored.
 *   <li>Changes of other tables are ignored; each such table is logged once for a feed.
 * </ul>
 *
 * <p>Safe for use by many threads. Closing ends the feeds; the change stream is closed by its owner.
 */
public final class ChangeStreamEventSource implements EventSource {
    private final ChangeStreamSource stream;
    private final Function<String, PartitionStorage> storages;
    private final EventRows rows;
    private final SubscriberOptions options;
    private final MonotonicTime time;
    private final Set<ChangeStreamFeed> feeds = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param storages opens the partition storage of a projection's subscription, by the projection's name; called once
     *     for each feed, which closes the storage when it ends
     * @param options the options of the subscriptions. Ordering and error handler are replaced. {@link
     *     SubscriberOptions#maxInflight()} limits the unacknowledged changes of a partition, and so the number of its
     *     events that one transaction can apply: use a large number, as in {@link #options()}
     * @throws IllegalArgumentException if the options have a {@link SubscriberOptions#consumeTimeout()}: a call of the
     *     consumer lasts until its events are acknowledged
     */
    public ChangeStreamEventSource(
            ChangeStreamSource stream,
            Function<String, PartitionStorage> storages,
            EventTableMapping table,
            SubscriberOptions options) {
        this(stream, storages, table, options, MonotonicTime.SYSTEM);
    }

    /** Creates a source for tests that control the time. */
    ChangeStreamEventSource(
            ChangeStreamSource stream,
            Function<String, PartitionStorage> storages,
            EventTableMapping table,
            SubscriberOptions options,
            MonotonicTime time) {
        this.stream = requireNonNull(stream, "stream");
        this.storages = requireNonNull(storages, "storages");
        this.rows = new EventRows(table);
        this.time = requireNonNull(time, "time");
        if (options.consumeTimeout().isPresent()) {
            throw new IllegalArgumentException(
                    "consumeTimeout is %s, must not be set: a change takes until its events are applied, or parked"
                            .formatted(DurationText.of(options.consumeTimeout().get())));
        }
        this.options = options.toBuilder()
                .ordering(Ordering.NONE) // only of the calls of the consumer; the feed restores the order of the events
                .errorHandler(ErrorHandler.stop())
                .build();
    }

    /**
     * Returns default options, except for the maximum number of changes in flight, which is the highest that is
     * allowed.
     */
    public static SubscriberOptions.Builder options() {
        return SubscriberOptions.builder().maxInflight(SubscriberOptions.MAX_MAX_INFLIGHT);
    }

    @Override
    public boolean positioned() {
        return false;
    }

    @Override
    public EventFeed open(FeedRequest request) {
        if (request.segments() != 1 || request.after() != 0) {
            throw new IllegalArgumentException(
                    "projection '%s' asked for segment %d of %d after position %d: a change stream has neither segments nor positions"
                            .formatted(request.projection(), request.segment(), request.segments(), request.after()));
        }
        requireOpen();
        requireReadable();
        ChangeStreamFeed feed = feed(request.projection());
        feed.start();
        return feed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the event source is closed");
        }
    }

    private void requireReadable() {
        try {
            stream.partitionMode();
        } catch (SourceException e) {
            throw new StorageException(
                    "[%s] events cannot be read: %s".formatted(stream.streamName(), e.getMessage()),
                    e.kind() == SourceException.Kind.TRANSIENT,
                    e);
        }
    }

    private ChangeStreamFeed feed(String projection) {
        PartitionStorage storage = storages.apply(projection);
        ReadOrderBuffer order = new ReadOrderBuffer();
        ReadStallTracker unread = new ReadStallTracker(time);
        SubscriberOptions noting =
                options.toBuilder().listener(order).listener(unread).build();
        ChangeStreamFeed feed = new ChangeStreamFeed(
                stream.streamName() + "/" + projection,
                () -> Subscriber.builder(new ReadOrderRecorder(stream, order, unread), storage)
                        .options(noting)
                        .build(),
                rows,
                order,
                unread,
                ended -> {
                    feeds.remove(ended);
                    storage.close();
                });
        feeds.add(feed);
        if (closed) {
            feed.close();
        }
        requireOpen();
        return feed;
    }

    @Override
    public void close() {
        closed = true;
        feeds.forEach(ChangeStreamFeed::end);
    }
}
