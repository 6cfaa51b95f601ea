package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.SessionPlans;
import java.util.List;

/**
 * Reads the table: the events of an aggregate, or all events in order up to the high-water mark. Safe for use by many
 * threads.
 */
record EventReads(EventDatabase database, HighWaterMark mark, SessionPlans plans) {
    static final String OF_AGGREGATE = """
            SELECT %s FROM @events WHERE aggregate_id = ? AND event_version > ? ORDER BY event_version LIMIT ?""".formatted(StoredEvent.COLUMNS);

    static final String RANGE = """
            SELECT %s FROM @events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?""".formatted(StoredEvent.COLUMNS);

    static final String SLOTS = """
            SELECT %s FROM @events WHERE position > ? AND position <= ? AND slot BETWEEN ? AND ? ORDER BY position LIMIT ?""".formatted(StoredEvent.COLUMNS);

    /** The number of positions that a statement scans for the events of some slots. */
    static final long MIN_WINDOW = 10_000;

    private static final long MAX_WINDOW = 200_000;

    EventReads(EventDatabase database, HighWaterMark mark) {
        this(database, mark, new SessionPlans());
    }

    List<RecordedEvent> ofAggregate(String aggregateId, long afterVersion, int limit) {
        requireLimit(limit);
        return recorded(database.rows(
                "reading aggregate '%s'".formatted(aggregateId),
                OF_AGGREGATE,
                p -> p.text(aggregateId).number(afterVersion).number(limit),
                StoredEvent::read));
    }

    List<RecordedEvent> ofAll(long afterPosition, int limit) {
        requireLimit(limit);
        long end = mark.now();
        return recorded(database.rows(
                "reading events after position " + afterPosition,
                RANGE,
                p -> p.number(afterPosition).number(end).number(limit),
                StoredEvent::read));
    }

    /**
     * Returns the next events of some slots, up to {@code end} or less. A statement scans a bounded number of positions
     * and returns a bounded amount of data.
     */
    SlotSlice slice(long after, long end, SlotRange slots, int limit) {
        long window = Math.clamp(2L * limit * slots.share(), MIN_WINDOW, MAX_WINDOW);
        long to = Math.min(end, after + window);
        MemoryBound bound = new MemoryBound();
        List<StoredEvent> events = database.rowsUntil(
                "reading events after position " + after,
                plans,
                SLOTS,
                p -> p.number(after)
                        .number(to)
                        .number(slots.first())
                        .number(slots.last())
                        .number(limit),
                StoredEvent::read,
                bound::fetch,
                bound);
        boolean all = events.size() < limit && !bound.isReached();
        return new SlotSlice(events, all ? to : events.getLast().position());
    }

    FeedItem item(StoredEvent event) {
        return event.item(database.table());
    }

    private static void requireLimit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit %d: must be 1 or more".formatted(limit));
        }
    }

    private static List<RecordedEvent> recorded(List<StoredEvent> events) {
        return events.stream().map(StoredEvent::recorded).toList();
    }
}
