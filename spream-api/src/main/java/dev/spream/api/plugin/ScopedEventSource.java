package dev.spream.api.plugin;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.Collection;

/** A plug-in's event source, called in its scope, and so are its feeds. */
record ScopedEventSource(EventSource target, CallScope scope) implements EventSource {
    @Override
    public boolean positioned() {
        return scope.call(target::positioned);
    }

    @Override
    public EventFeed open(FeedRequest request) {
        return new ScopedFeed(scope.call(() -> target.open(request)), scope);
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }

    /** A feed of a plug-in's event source. */
    record ScopedFeed(EventFeed target, CallScope scope) implements EventFeed {
        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            return scope.call(() -> target.poll(limit, wait));
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            scope.run(() -> target.acknowledge(items));
        }

        @Override
        public void close() {
            scope.run(target::close);
        }

        @Override
        public String toString() {
            return target.toString();
        }
    }
}
