package dev.spream.flink;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A source that closes its connection too. */
record OwnedSource(ChangeStreamSource source, SpannerConnection connection) implements ChangeStreamSource {
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
        return source.query(query);
    }

    @Override
    public void close() {
        try (connection) {
            source.close();
        }
    }
}
