package dev.spream.projection.event;

import java.util.List;

/**
 * An event store: it keeps events permanently, those of each aggregate numbered from 1 without gaps.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s; an append may have happened
 * then, and may be repeated with the same event ids.
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
     * @throws IllegalArgumentException if there is no event, or one whose id another event has, or data that are not
     *     JSON text that the store can hold
     */
    List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> events);

    /**
     * Returns the committed events of an aggregate, in order.
     *
     * @param afterVersion the version after which to begin; 0 for all
     * @param limit the maximum number of events, 1 or more
     */
    List<RecordedEvent> read(String aggregateId, long afterVersion, int limit);

    /**
     * Returns the events of all aggregates in the order of their positions, up to the high-water mark, below which no
     * event can still appear: a reader that continues after the last one never misses an event of a slower transaction.
     *
     * @param afterPosition the position after which to begin; 0 for all
     * @param limit the maximum number of events, 1 or more
     * @return empty if there are no more for now
     */
    List<RecordedEvent> readAll(long afterPosition, int limit);

    /**
     * Returns a source of the events of this store, {@linkplain EventSource#positioned() readable from any position}.
     * Closed by the caller.
     */
    EventSource source();

    /** Closes what this opened; sources end as well. Closing again is harmless. */
    @Override
    void close();
}
