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
 * SubscriberOptions#startTimestamp()}: events that were inserted before, or that are older than the stream'sretention,
 * are for another source to deliver. A watermark passes a row when its item is acknowledged. So nothing is lost, and
 * after a restart some of what was acknowledged comes again: all from the stored watermark on, that of its very commit
 * timestamp included.
 *
 * <p><b>Order.</b> What one partition of the stream returns is delivered in its order, which is that of commits, and
 * the rows of one change by their versions; what a partition's children return, after all of it is acknowledged. The
 * events of an aggregate may come over several partitions: seldom if the table's primary key begins with the
 * aggregate's id, where a split has to fall between two of its rows, and usually with another key. So a later version
 * may come before an earlier one. What reads them waits for the missing one ({@code ProjectionOptions.Gaps#WAIT}); and
 * also for versions from before the subscription, which do not come.
 *
 * <p><b>Failures.</b> What breaks in passing is read again by the subscription itself. While some of the stream has not been
 * readable for more than five seconds, or the storage of partitions has not, the {@link FeedBatch#waited} of a feed says so: no
 * projection counts as caught up then.
 *
 * <p><b>What becomes of a change</b>
 *
 * <ul>
 *   <li>An inserted row is an event. One that is none, such as for a column that is null or not watched, or data that are no
 *       JSON, is undecodable: its bytes are the change with that row alone, as JSON.
 *   <li>Deletes are passed over: the event has happened, and old rows are removed in the end.
 *   <li>An update of one of the event's columns is undecodable, since an event never changes, and an event may have been
 *       overwritten by another. A stream that captures {@code NEW_ROW} does not tell which columns were modified: there, every
 *       update counts. Updates of other columns are passed over.
 *   <li>Changes of other tables are passed over; each such table is logged once for a feed.
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
     * @param storages the storage of a projection's subscription; asked once for each feed, which closes it when it ends
     * @param options how the stream is read. Ordering and error handler are replaced by what the feeds need.
     *     {@link SubscriberOptions#maxInflight()} says how many changes of a partition can be delivered and not acknowledged,
     *     and so how many events of it one transaction can apply: let it be large, as in {@link #options()}
     * @throws IllegalArgumentException if the options limit the time of a consumer's call, which here lasts until everything in
     *     it is acknowledged
     */
    public ChangeStreamEventSource(
            ChangeStreamSource stream,
            Function<String, PartitionStorage> storages,
            EventTableMapping table,
            SubscriberOptions options) {
        this(stream, storages, table, options, MonotonicTime.SYSTEM);
    }

    /** For tests that drive the time. */
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
                .ordering(Ordering.NONE) // which calls of the consumer start first; the feed sees to the order
                .errorHandler(ErrorHandler.stop())
                .build();
    }

    /** Options with as many changes in flight as there may be. */
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
