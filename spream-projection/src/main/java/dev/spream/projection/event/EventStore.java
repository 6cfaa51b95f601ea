package dev.spream.projection.event;

import java.util.List;

/**
 * An event store: it keeps events permanently, those of each aggregate numbered from 1 without gaps.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s; an append may have happened then, and
 * may be repeated with the same event ids.
 */
public interface EventStore extends AutoCloseable {

    /**
     * Appends events to an aggregate, all or none, in a transaction of their own. Events that the aggregate already has
     * directly behind the expected version, by their ids and in this order, are not appended again: so a repeated append
     * succeeds. With {@link ExpectedVersion#any}, the same holds wherever they are.
     *
     * @param events at least one
     * @return those events as they are in the store, in this order
     * @throws VersionConflictException if the aggregate has another version
     * @throws IllegalArgumentException if there is no event, or one whose id another event has, or data that are no JSON text
     *     that the store can hold
     */
    List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> events);

    /**
     * The events of an aggregate in their order, as far as they are committed.
     *
     * @param afterVersion begins behind it; 0 for the first
     * @param limit how many at most, 1 or more
     */
    List<RecordedEvent> read(String aggregateId, long afterVersion, int limit);

    /**
     * The events of all aggregates in the order of their positions, up to the high-water mark, below which no event can still
     * appear: a reader that continues after the last one never misses an event whose transaction took longer.
     *
     * @param afterPosition begins behind it; 0 for the first
     * @param limit how many at most, 1 or more
     * @return empty if there are no more for now
     */
    List<RecordedEvent> readAll(long afterPosition, int limit);

    /** Delivers the events of this store, {@linkplain EventSource#positioned() from any position on}. Closed by the caller. */
    EventSource source();

    /** Closes what this opened; sources end as well. Closing again is harmless. */
    @Override
    void close();
}
