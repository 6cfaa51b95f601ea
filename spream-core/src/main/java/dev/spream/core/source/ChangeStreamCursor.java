package dev.spream.core.source;

import dev.spream.core.record.ChangeRecord;
import java.util.Optional;

/**
 * The open stream of one partition query. One thread reads; {@link #close()} may be called from any.
 */
public interface ChangeStreamCursor extends AutoCloseable {

    /**
     * Waits for the next record. Records come in the order of their timestamps.
     *
     * @return the record, or empty when the server ended the stream with OK; which does not prove the end of the
     *     partition
     * @throws SourceException if the stream ended in any other way; the cursor cannot be used then, unless the
     *     exception has an {@linkplain SourceException#undecodableChange undecodable change}: the next call continues
     *     after it
     * @throws InterruptedException if the thread was interrupted while waiting
     */
    Optional<ChangeRecord> next() throws InterruptedException;

    /**
     * Returns the number of rows that the client has fetched and {@link #next} has not returned, as far as it is known; 0
     * is always correct. While it is not 0, the changes before are handed to the consumer together, a few at a time: so a
     * {@code next} that waits although it is not 0, such as for the rest of a large row, holds them back.
     */
    int prefetched();

    /**
     * Cancels the query and frees its resources. A {@link #next} that waits ends soon, with a {@link SourceException}
     * of kind {@link SourceException.Kind#CANCELLED}. Closing again is harmless.
     */
    @Override
    void close();
}
