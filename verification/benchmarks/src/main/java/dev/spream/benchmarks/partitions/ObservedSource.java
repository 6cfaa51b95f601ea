package dev.spream.benchmarks.partitions;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A source that reports a subscriber's queries and their results. As safe for use by many threads as the source it wraps. */
record ObservedSource(ChangeStreamSource source, Observer observer) implements ChangeStreamSource {
    /** Receives reports on the threads of the readers. */
    interface Observer {
        /** The partition is about to be queried. */
        default void queried(PartitionToken partition) {}

        /** A query of the partition returned a record. */
        default void returned(PartitionToken partition, ChangeRecord record) {}

        /** A query of the partition ended with OK. */
        default void ended(PartitionToken partition) {}
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        observer.queried(query.token());
        return new ObservedCursor(query.token(), source.query(query), observer);
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
    public Instant serverTime() {
        return source.serverTime();
    }

    @Override
    public int maxOpenQueries() {
        return source.maxOpenQueries();
    }

    @Override
    public void close() {
        source.close();
    }

    private record ObservedCursor(PartitionToken partition, ChangeStreamCursor cursor, Observer observer)
            implements ChangeStreamCursor {
        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            Optional<ChangeRecord> next = cursor.next();
            if (next.isEmpty()) {
                observer.ended(partition);
            }
            next.ifPresent(record -> observer.returned(partition, record));
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
    }
}
