package dev.spream.core.source;

import dev.spream.core.partition.PartitionMode;
import java.time.Instant;

/**
 * A change stream that can be queried, partition by partition.
 *
 * <p>Safe for use by many threads. Whoever opened the source closes it, after the last subscriber that uses it. Methods
 * throw {@link SourceException}.
 */
public interface ChangeStreamSource extends AutoCloseable {

    /** The change stream's name, without its database; it appears in logs and thread names. */
    String streamName();

    /**
     * How the stream divides its keys. Asks the server, once, and so shows early that the server can be reached, that the
     * stream exists and that it may be read.
     */
    PartitionMode partitionMode();

    /** The server's time. */
    Instant serverTime();

    /**
     * Opens a query. Problems of the query itself may show here or at the first {@link ChangeStreamCursor#next}.
     *
     * @return the open stream; the caller closes it
     */
    ChangeStreamCursor query(PartitionQuery query);

    /** Cancels what is open and frees what the source holds. Closing again is harmless. */
    @Override
    void close();
}
