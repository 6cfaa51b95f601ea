package dev.spream.testkit.memory;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** The events of an {@link InMemoryEventStore}, with waiting feeds. Safe for use by many threads. */
final class EventLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The events in order; the position of the first is 1. Guarded by the lock, as are the fields below. */
    private final List<RecordedEvent> events = new ArrayList<>();

    private final Map<String, List<RecordedEvent>> aggregates = new HashMap<>();
    private final Map<String, RecordedEvent> ids = new HashMap<>();

    List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> added) {
        lock.lock();
        try {
            List<RecordedEvent> there = aggregates.getOrDefault(aggregateId, List.of());
            Optional<List<RecordedEvent>> before = appendedBefore(aggregateId, there, expected, added);
            if (before.isPresent()) {
                return before.get();
            }
            requireVersion(aggregateId, expected, there.size());
            added.forEach(this::requireNew);
            return added.stream().map(event -> add(aggregateId, event)).toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the stored events if all given ones are stored already, in this order, at the place where they would be
     * appended.
     */
    private Optional<List<RecordedEvent>> appendedBefore(
            String aggregateId, List<RecordedEvent> there, ExpectedVersion expected, List<NewEvent> added) {
        OptionalLong version =
                switch (expected) {
                    case ExpectedVersion.Exactly exactly -> OptionalLong.of(exactly.version());
                    case ExpectedVersion.Any any ->
                        versionBefore(aggregateId, added.getFirst().eventId());
                };
        if (version.isEmpty() || version.getAsLong() + added.size() > there.size()) {
            return Optional.empty();
        }
        int from = Math.toIntExact(version.getAsLong());
        List<RecordedEvent> found = List.copyOf(there.subList(from, from + added.size()));
        return Optional.of(found)
                .filter(same -> same.stream()
                        .map(event -> event.event().eventId())
                        .toList()
                        .equals(added.stream().map(NewEvent::eventId).toList()));
    }

    private OptionalLong versionBefore(String aggregateId, String eventId) {
        RecordedEvent found = ids.get(eventId);
        return found != null && found.event().aggregateId().equals(aggregateId)
                ? OptionalLong.of(found.event().eventVersion() - 1)
                : OptionalLong.empty();
    }

    private static void requireVersion(String aggregateId, ExpectedVersion expected, long actual) {
        if (expected instanceof ExpectedVersion.Exactly exactly && exactly.version() != actual) {
            throw new VersionConflictException(aggregateId, exactly.version(), actual);
        }
    }

    private void requireNew(NewEvent event) {
        RecordedEvent other = ids.get(event.eventId());
        if (other != null) {
            throw new IllegalArgumentException(
                    "event '%s' exists already: %s; nothing was appended".formatted(event.eventId(), other.event()));
        }
    }

    private RecordedEvent add(String aggregateId, NewEvent event) {
        List<RecordedEvent> aggregate = aggregates.computeIfAbsent(aggregateId, first -> new ArrayList<>());
        RecordedEvent recorded = new RecordedEvent(events.size() + 1L, event.of(aggregateId, aggregate.size() + 1L));
        events.add(recorded);
        aggregate.add(recorded);
        ids.put(event.eventId(), recorded);
        changed.signalAll();
        return recorded;
    }

    List<RecordedEvent> read(String aggregateId, long afterVersion, int limit) {
        lock.lock();
        try {
            return behind(aggregates.getOrDefault(aggregateId, List.of()), afterVersion, limit);
        } finally {
            lock.unlock();
        }
    }

    List<RecordedEvent> readAll(long afterPosition, int limit) {
        lock.lock();
        try {
            return behind(events, afterPosition, limit);
        } finally {
            lock.unlock();
        }
    }

    private static List<RecordedEvent> behind(List<RecordedEvent> all, long after, int limit) {
        if (after < 0 || limit < 1) {
            throw new IllegalArgumentException("%d events after %d".formatted(limit, after));
        }
        int from = (int) Math.min(after, all.size());
        return List.copyOf(all.subList(from, (int) Math.min((long) from + limit, all.size())));
    }

    /**
     * Returns the next events of a feed. Waits while its position does not move.
     *
     * @param ended whether to stop waiting; checked again after {@link #wakeAll}
     */
    FeedBatch next(long after, Predicate<EventEnvelope> wanted, int limit, Duration wait, BooleanSupplier ended)
            throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.convert(wait);
        lock.lockInterruptibly();
        try {
            FeedBatch batch = scan(after, wanted, limit);
            while (batch.position() == after && left > 0 && !ended.getAsBoolean()) {
                left = changed.awaitNanos(left);
                batch = scan(after, wanted, limit);
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private FeedBatch scan(long after, Predicate<EventEnvelope> wanted, int limit) {
        List<FeedItem> items = new ArrayList<>();
        long position = after;
        while (position < events.size() && items.size() < limit) {
            RecordedEvent event = events.get((int) position);
            position = event.position();
            if (wanted.test(event.event())) {
                items.add(new FeedItem.Event(position, position, event.event()));
            }
        }
        return new FeedBatch(items, position, Math.max(position, events.size()));
    }

    void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
