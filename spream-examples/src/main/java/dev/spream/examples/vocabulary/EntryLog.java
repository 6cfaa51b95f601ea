package dev.spream.examples.vocabulary;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.VersionConflictException;
import java.util.List;

/**
 * The events of entries, read and appended by commands. Safe for use by many threads. A failure is a {@link
 * dev.spream.core.StorageException}; an append may have happened then, and may be repeated.
 */
interface EntryLog extends AutoCloseable {

    /**
     * The events of an entry from the first on.
     *
     * @param upTo the last version that is wanted, 0 or more
     */
    List<EventEnvelope> read(String entryId, long upTo);

    /**
     * Appends an event behind that version. If the event behind it has the same id already, that one is returned.
     *
     * @throws VersionConflictException if another one is behind it
     * @throws IllegalArgumentException if an event elsewhere has its id
     */
    EventEnvelope append(String entryId, long version, NewEvent event);

    @Override
    void close();
}
