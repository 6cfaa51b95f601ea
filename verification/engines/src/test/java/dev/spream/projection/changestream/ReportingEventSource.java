package dev.spream.projection.changestream;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.Collection;

/** A source that says what has been acknowledged, before the call that does it returns. */
record ReportingEventSource(EventSource source, Acknowledged then) implements EventSource {

    /** A listener of acknowledged items. */
    interface Acknowledged {
        void acknowledged(String projection, int items);
    }

    @Override
    public boolean positioned() {
        return source.positioned();
    }

    @Override
    public EventFeed open(FeedRequest request) {
        return new Feed(source.open(request), request.projection(), then);
    }

    @Override
    public void close() {
        source.close();
    }

    private record Feed(EventFeed feed, String projection, Acknowledged then) implements EventFeed {
        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            return feed.poll(limit, wait);
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            feed.acknowledge(items);
            then.acknowledged(projection, items.size());
        }

        @Override
        public void close() {
            feed.close();
        }
    }
}
