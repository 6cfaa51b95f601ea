package dev.spream.core.subscription.transaction;

import dev.spream.core.record.DataChangeRecord;
import java.util.Collection;

/**
 * A place for changes of transactions that do not fit into memory. What it has is not needed after the process has ended:
 * those changes are read from the stream again. Safe for use by many threads.
 */
public interface ChangeBuffer extends AutoCloseable {

    /**
     * Keeps a change.
     *
     * @return an id of 1 or more, to read and remove it by
     * @throws dev.spream.core.SpreamException if it cannot be kept; the subscription stops
     */
    long add(DataChangeRecord change);

    /** Returns a change that was added and not removed. */
    DataChangeRecord read(long id);

    /** Removes changes. Does nothing once the buffer is closed. */
    void remove(Collection<Long> ids);

    /** Removes all changes, and frees what they take. */
    @Override
    void close();
}
