package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A feed of the events of a segment: read from the table while it lags, and from the tailer's recent events once it has
 * caught up. It ignores acknowledgements and returned batches; its reader keeps the position.
 */
final class JdbcEventFeed implements EventFeed {
    /** The time for which the connection that reads new events may be broken before it is reported. */
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Bounds a wait, because nothing wakes a waiting feed while the server does not answer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** The minimum number of events to read, for readers that take a few at a time. */
    private static final int READ_AHEAD = 500;

    private final SlotRange slots;
    private final EventReads reads;
    private final EventTail tail;
    private final Beginning beginning;
    private final Consumer<JdbcEventFeed> onClose;
    private final AtomicBoolean left = new AtomicBoolean(); // its resources were released
    private volatile boolean closed;

    // Confined to the polling thread.
    private List<StoredEvent> ahead = List.of(); // read, and not delivered
    private long readTo; // no further events up to here, after those
    private long position;

    /** The values of {@link HighWaterMark#losses} and of the last assigned position when the feed was opened. */
    record Beginning(int losses, long given) {}

    JdbcEventFeed(
            FeedRequest request,
            EventReads reads,
            EventTail tail,
            Beginning beginning,
            Consumer<JdbcEventFeed> onClose) {
        this.slots = SlotRange.of(request);
        this.reads = reads;
        this.tail = tail;
        this.beginning = beginning;
        this.onClose = onClose;
        this.readTo = request.after();
        this.position = request.after();
    }

    @Override
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        long from = position;
        while (!closed) {
            requireSource();
            requireNothingLost();
            long before = readTo;
            List<StoredEvent> events = next(limit);
            long left = deadline - System.nanoTime();
            if (!events.isEmpty()) {
                return batch(events);
            }
            tail.requireWorking(TIMEOUT);
            if (left <= 0) {
                return batch(events);
            }
            if (readTo > before) {
                continue; // none of its own were there, and there may be more
            }
            if (position > from) {
                return batch(events);
            }
            tail.recent().await(position, this::stopsWaiting, Duration.ofNanos(Math.min(left, LONGEST_WAIT.toNanos())));
        }
        return batch(List.of());
    }

    private boolean stopsWaiting() {
        return closed || hasNoSource() || tail.isBroken(TIMEOUT) || tail.mark().losses() != beginning.losses();
    }

    private void requireNothingLost() {
        if (tail.mark().losses() != beginning.losses()) {
            throw tail.mark().lost(position);
        }
    }

    private boolean hasNoSource() {
        return left.get() || tail.isClosed();
    }

    private void requireSource() {
        if (hasNoSource() && !closed) {
            throw SqlErrors.permanent(
                    "reading events after position %d failed: the source or its store is closed; open another"
                            .formatted(position));
        }
    }

    private List<StoredEvent> next(int limit) {
        if (ahead.isEmpty()) {
            read(Math.max(limit, READ_AHEAD));
        }
        int count = Math.min(limit, ahead.size());
        List<StoredEvent> events = ahead.subList(0, count);
        ahead = count == ahead.size() ? List.of() : ahead.subList(count, ahead.size()); // an empty part would keep them
        position = ahead.isEmpty() ? readTo : events.getLast().position();
        return events;
    }

    private void read(int limit) {
        Optional<SlotSlice> recent = tail.recent().after(readTo, slots, limit);
        if (recent.isEmpty() && tail.mark().known() <= readTo) {
            return; // nothing is known yet
        }
        SlotSlice slice = recent.orElseGet(() -> reads.slice(readTo, tail.mark().known(), slots, limit));
        ahead = slice.events();
        readTo = slice.to();
    }

    private FeedBatch batch(List<StoredEvent> events) {
        List<FeedItem> items = events.stream().map(reads::item).toList();
        Optional<Tailer.Shut> shut = tail.shut();
        long mark = tail.mark().known();
        long given = Math.max(mark, shut.map(Tailer.Shut::given).orElse(tail.hasRead() ? 0 : beginning.given()));
        Duration waited = shut.filter(held -> position >= mark && given > position)
                .map(Tailer.Shut::lasted)
                .orElse(Duration.ZERO);
        return new FeedBatch(items, position, Math.max(position, given), waited);
    }

    @Override
    public void acknowledge(Collection<FeedItem> items) {
        // its position is the reader's
    }

    @Override
    public void close() {
        closed = true;
        end();
    }

    /** Called when its source is closed. */
    void end() {
        if (left.compareAndSet(false, true)) {
            onClose.accept(this);
            tail.recent().wakeAll();
            tail.leave();
        }
    }
}
