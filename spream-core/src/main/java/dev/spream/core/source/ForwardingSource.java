package dev.spream.core.source;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * A source that forwards every call to another one, and sees the records as they are read. Closing it closes the other
 * source.
 */
public abstract class ForwardingSource implements ChangeStreamSource {
    private final ChangeStreamSource source;

    protected ForwardingSource(ChangeStreamSource source) {
        this.source = requireNonNull(source, "source");
    }

    /**
     * Reads the next record of a partition's query, usually by {@code cursor.next()}. Called by the thread that reads the
     * partition.
     *
     * @param cursor the cursor of the other source
     * @return empty at the end of the query
     */
    protected abstract Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException;

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        ChangeStreamCursor cursor = source.query(query);
        return new ChangeStreamCursor() {
            @Override
            public Optional<ChangeRecord> next() throws InterruptedException {
                return ForwardingSource.this.next(query.token(), cursor);
            }

            @Override
            public int prefetched() {
                return cursor.prefetched();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    @Override
    public final String streamName() {
        return source.streamName();
    }

    @Override
    public final PartitionMode partitionMode() {
        return source.partitionMode();
    }

    @Override
    public final Optional<Duration> retention() {
        return source.retention();
    }

    @Override
    public final int maxOpenQueries() {
        return source.maxOpenQueries();
    }

    @Override
    public final Instant serverTime() {
        return source.serverTime();
    }

    @Override
    public final Instant snapshotTime() {
        return source.snapshotTime();
    }

    @Override
    public final PartitionToken snapshotQuery() {
        return source.snapshotQuery();
    }

    @Override
    public final Map<String, PartitionToken> addedSnapshot(Instant at, Collection<String> tables) {
        return source.addedSnapshot(at, tables);
    }

    @Override
    public void close() {
        source.close();
    }
}
