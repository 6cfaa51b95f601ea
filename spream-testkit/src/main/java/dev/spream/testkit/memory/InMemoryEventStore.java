package dev.spream.testkit.memory;

import dev.spream.core.StorageException;
import dev.spream.core.record.Json;
import dev.spream.projection.event.EventChecks;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An event store in memory, for tests and demos: the reference for the behaviour of event stores. An append is visible
 * to all readers when it returns.
 *
 * <p>Safe for use by many threads. All data is lost when the process ends.
 */
public final class InMemoryEventStore implements EventStore {
    private final EventLog log = new EventLog();
    private final Queue<EventSource> sources = new ConcurrentLinkedQueue<>();

    @Override
    public List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        EventChecks.length("aggregateId", aggregateId, EventChecks.AGGREGATE_ID_LENGTH);
        requireEvents(events);
        return log.append(aggregateId, expected, events);
    }

    private static void requireEvents(List<NewEvent> events) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException("there are no events to append");
        }
        Set<String> ids = new HashSet<>();
        for (NewEvent event : events) {
            if (!ids.add(event.eventId())) {
                throw new IllegalArgumentException("event '%s' is in the request twice".formatted(event.eventId()));
            }
            requireJson(event);
        }
    }

    private static void requireJson(NewEvent event) {
        try {
            Json.parse(event.eventData());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the data of event '%s' is not valid JSON: %s".formatted(event.eventId(), e.getMessage()), e);
        }
    }

    @Override
    public List<RecordedEvent> read(String aggregateId, long afterVersion, int limit) {
        return log.read(aggregateId, afterVersion, limit);
    }

    @Override
    public List<RecordedEvent> readAll(long afterPosition, int limit) {
        return log.readAll(afterPosition, limit);
    }

    @Override
    public EventSource source() {
        EventSource source = new MemorySource(log);
        sources.add(source);
        return source;
    }

    @Override
    public void close() {
        sources.forEach(EventSource::close);
    }

    /** The feeds of one source, all over the same events. */
    private static final class MemorySource implements EventSource {
        private final EventLog log;
        private final Queue<MemoryEventFeed> feeds = new ConcurrentLinkedQueue<>();
        private volatile boolean closed;

        MemorySource(EventLog log) {
            this.log = log;
        }

        @Override
        public boolean positioned() {
            return true;
        }

        @Override
        public EventFeed open(FeedRequest request) {
            MemoryEventFeed feed = new MemoryEventFeed(log, request);
            feeds.add(feed);
            if (closed) {
                feed.close();
                throw new StorageException("the event source is closed; nothing was opened", false, null);
            }
            return feed;
        }

        @Override
        public void close() {
            closed = true;
            feeds.forEach(MemoryEventFeed::end);
        }
    }
}
