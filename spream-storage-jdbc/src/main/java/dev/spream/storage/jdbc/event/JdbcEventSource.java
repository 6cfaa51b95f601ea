package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An event source over a {@link JdbcEventStore}. Safe for use by many threads. */
final class JdbcEventSource implements EventSource {
    private final EventReads reads;
    private final EventTail tail;
    private final Set<JdbcEventFeed> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    JdbcEventSource(EventReads reads, EventTail tail) {
        this.reads = reads;
        this.tail = tail;
    }

    @Override
    public boolean positioned() {
        return true;
    }

    @Override
    public EventFeed open(FeedRequest request) {
        requireOpen(request);
        int losses = tail.mark().losses();
        long given = tail.join(request.after());
        JdbcEventFeed feed =
                new JdbcEventFeed(request, reads, tail, new JdbcEventFeed.Beginning(losses, given), open::remove);
        open.add(feed);
        if (closed) {
            feed.close();
        }
        requireOpen(request);
        return feed;
    }

    private void requireOpen(FeedRequest request) {
        if (closed) {
            throw SqlErrors.permanent("opening a feed for projection '%s' failed: the source is closed; open another"
                    .formatted(request.projection()));
        }
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(JdbcEventFeed::end);
    }
}
