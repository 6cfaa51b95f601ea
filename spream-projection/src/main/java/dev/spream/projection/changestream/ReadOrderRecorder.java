package dev.spream.projection.changestream;

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

/**
 * A change stream that records the order in which it returns changes, and that it returns records at all. Closing it does
 * nothing: the wrapped stream belongs to the caller.
 */
record ReadOrderRecorder(ChangeStreamSource stream, ReadOrderBuffer order, ReadStallTracker unread)
        implements ChangeStreamSource {

    @Override
    public String streamName() {
        return stream.streamName();
    }

    @Override
    public PartitionMode partitionMode() {
        return stream.partitionMode();
    }

    @Override
    public Optional<Duration> retention() {
        return stream.retention();
    }

    @Override
    public int maxOpenQueries() {
        return stream.maxOpenQueries();
    }

    @Override
    public Instant serverTime() {
        return stream.serverTime();
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        return new OrderedCursor(stream.query(query), query.token(), order, unread);
    }

    @Override
    public void close() {
        // Whoever opened the stream closes it.
    }

    private record OrderedCursor(
            ChangeStreamCursor cursor, PartitionToken partition, ReadOrderBuffer order, ReadStallTracker unread)
            implements ChangeStreamCursor {

        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            Optional<ChangeRecord> next = cursor.next();
            unread.returned(partition);
            if (next.isPresent() && next.get() instanceof DataChangeRecord change) {
                order.returned(partition, change);
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
    }
}
