package dev.spream.examples.vocabulary;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.VersionConflictException;
import java.util.List;

/**
 * The events of entries, read and appended by commands. Safe for use by many threads. A failure is a {@link
 * dev.spream.core.StorageException}; after one, an append may have happened, and may be repeated.
 */
interface EntryLog extends AutoCloseable {

    /**
     * Returns the events of an entry from the first on.
     *
     * @param upTo the last version to return, 0 or more
     */
    List<EventEnvelope> read(String entryId, long upTo);

    /**
     * Appends an event after that version. If the next event has the same id already, that one is returned.
     *
     * @throws VersionConflictException if the next event is another one
     * @throws IllegalArgumentException if another event has its id
     */
    EventEnvelope append(String entryId, long version, NewEvent event);

    @Override
    void close();
}
