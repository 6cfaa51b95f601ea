package dev.spream.servers;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A source that records its queries and the changes that the server returned, so that a change that the server left out is distinguished
 * from one that the engine lost. Safe for use by many threads.
 */
public final class RecordingSource implements ChangeStreamSource {
    private final ChangeStreamSource source;
    private final Set<DataChangeRecord> returned = ConcurrentHashMap.newKeySet();
    private final Set<PartitionToken> queried = ConcurrentHashMap.newKeySet();

    public RecordingSource(ChangeStreamSource source) {
        this.source = source;
    }

    public Set<DataChangeRecord> returned() {
        return Set.copyOf(returned);
    }

    /** Returns the partitions that were queried, the root among them. */
    public Set<PartitionToken> queried() {
        return Set.copyOf(queried);
    }

    @Override
    public String streamName() {
        return source.streamName();
    }

    @Override
    public PartitionMode partitionMode() {
        return source.partitionMode();
    }

    @Override
    public Optional<Duration> retention() {
        return source.retention();
    }

    @Override
    public int maxOpenQueries() {
        return source.maxOpenQueries();
    }

    @Override
    public Instant serverTime() {
        return source.serverTime();
    }

    @Override
    public Instant snapshotTime() {
        return source.snapshotTime();
    }

    @Override
    public PartitionToken snapshotQuery() {
        return source.snapshotQuery();
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        queried.add(query.token());
        ChangeStreamCursor cursor = source.query(query);
        return new ChangeStreamCursor() {
            @Override
            public Optional<ChangeRecord> next() throws InterruptedException {
                Optional<ChangeRecord> next = cursor.next();
                if (next.isPresent() && next.get() instanceof DataChangeRecord change) {
                    returned.add(change);
                }
                return next;
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
    public void close() {
        source.close();
    }
}
