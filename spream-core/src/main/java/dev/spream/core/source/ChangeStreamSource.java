package dev.spream.core.source;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * A change stream that can be queried, partition by partition.
 *
 * <p>Safe for use by many threads. The code that opened the source closes it, after the last subscriber that uses it.
 * Methods throw {@link SourceException}.
 */
public interface ChangeStreamSource extends AutoCloseable {

    /** Returns the change stream's name, without its database; it appears in logs and thread names. */
    String streamName();

    /**
     * Returns the partition mode of the stream. Queries the server once, and so reveals early an unreachable server, a missing
     * stream or a missing permission.
     */
    PartitionMode partitionMode();

    /**
     * Returns the retention period of the stream as declared now: between one and thirty days. Queries the server each
     * time, because the period can be altered, and shortening it takes effect at once.
     *
     * <p>A server that does not report it is no failure. Spanner reports it for streams that were declared with a
     * period; for the others a default applies that the server does not report, and that has changed over time, from
     * one day to seven.
     *
     * @return empty if the server does not report it
     * @see <a href="https://cloud.google.com/spanner/docs/change-streams#data-retention">Spanner: data retention</a>
     */
    Optional<Duration> retention();

    /**
     * Returns the number of queries that may be open at the same time: the capacity of the client's connections. Further
     * queries would wait inside the client, unnoticed. An idle partition needs an open query too.
     *
     * @return at least 1
     */
    int maxOpenQueries();

    /** Returns the server's time. */
    Instant serverTime();

    /**
     * Returns a time as of which the tables can be read: that of a strong read now. A subscription that begins with a
     * snapshot starts there, with the {@link #snapshotQuery} in place of the initial query: it returns partitions of the
     * snapshot, whose changes are rows as of that time, and the last of which continue in the initial query, a
     * nanosecond later.
     *
     * @throws SourceException if the source has no tables to read, as by default
     */
    default Instant snapshotTime() {
        throw new SourceException(
                SourceException.Kind.FATAL, "this source cannot read tables: run without a snapshot", null);
    }

    /**
     * Returns the query by which a new subscription begins with a snapshot. It is stored with the subscription, and has
     * every option that divides the rows into partitions: they are the same whenever it is repeated, whichever options
     * the source has by then.
     *
     * @return a token that {@linkplain PartitionToken#isOfSnapshot is of a snapshot}
     */
    default PartitionToken snapshotQuery() {
        return PartitionToken.SNAPSHOT;
    }

    /**
     * Returns the first partitions of a snapshot of those tables, which is {@linkplain
     * dev.spream.core.partition.Correction.AddSnapshot added} to a subscription that is read already. They and the
     * partitions that they return end in partitions of their own or, without any, with an end record, in either partition
     * mode.
     *
     * @param at the time of the snapshot, from {@link #snapshotTime}
     * @param tables names of tables, with a schema unless it is the default one
     * @return the partition of each table, which {@linkplain PartitionToken#isOfAddedSnapshot is of an added snapshot} and of
     *     no other time
     * @throws SourceException if the stream does not watch one of them, or has no tables to read, as by default
     */
    default Map<String, PartitionToken> addedSnapshot(Instant at, Collection<String> tables) {
        throw new SourceException(
                SourceException.Kind.FATAL, "this source cannot read tables: add no snapshot of them", null);
    }

    /**
     * Opens a query. Problems of the query itself may show here or at the first {@link ChangeStreamCursor#next}.
     *
     * @return the open stream; the caller closes it
     */
    ChangeStreamCursor query(PartitionQuery query);

    /** Cancels open queries and frees the resources of the source. Closing again is harmless. */
    @Override
    void close();
}
