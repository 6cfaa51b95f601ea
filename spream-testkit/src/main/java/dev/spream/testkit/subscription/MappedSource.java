package dev.spream.testkit.subscription;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Another source whose records are delayed, replaced or removed when they are read. It has no snapshots. */
public record MappedSource(ChangeStreamSource source, Mapping mapping) implements ChangeStreamSource {

    /** The treatment of a record. */
    public interface Mapping {
        /** Returns what is read in place of that record; empty for nothing. */
        Optional<ChangeRecord> map(ChangeRecord record) throws InterruptedException;
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
    public ChangeStreamCursor query(PartitionQuery query) {
        ChangeStreamCursor cursor = source.query(query);
        return new ChangeStreamCursor() {
            @Override
            public Optional<ChangeRecord> next() throws InterruptedException {
                while (true) {
                    Optional<ChangeRecord> next = cursor.next();
                    if (next.isEmpty()) {
                        return next;
                    }
                    Optional<ChangeRecord> mapped = mapping.map(next.get());
                    if (mapped.isPresent()) {
                        return mapped;
                    }
                }
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
