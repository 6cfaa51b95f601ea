package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * A source whose records that are not delivered are printed, as they are read: heartbeats, and those about partitions.
 * Changes in flight are printed after records that were read after them. Safe for use by many threads.
 */
final class ReadRecords implements ChangeStreamSource {
    private final ChangeStreamSource source;
    private final Printer printer;

    /** @param printer called by the threads that read partitions */
    ReadRecords(ChangeStreamSource source, Printer printer) {
        this.source = source;
        this.printer = printer;
    }

    /** Takes records that are not delivered. */
    interface Printer {
        void print(PartitionToken partition, ChangeRecord record) throws IOException, InterruptedException;
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        return new Printing(source.query(query), query.token());
    }

    private final class Printing implements ChangeStreamCursor {
        private final ChangeStreamCursor cursor;
        private final PartitionToken partition;

        Printing(ChangeStreamCursor cursor, PartitionToken partition) {
            this.cursor = cursor;
            this.partition = partition;
        }

        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            Optional<ChangeRecord> record = cursor.next();
            if (record.isPresent() && !(record.get() instanceof DataChangeRecord)) {
                print(record.get());
            }
            return record;
        }

        private void print(ChangeRecord record) throws InterruptedException {
            try {
                printer.print(partition, record);
            } catch (IOException e) {
                throw new SourceException(
                        SourceException.Kind.FATAL, "a record could not be printed: " + e.getMessage(), e);
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
    public Map<String, PartitionToken> addedSnapshot(Instant at, Collection<String> tables) {
        return source.addedSnapshot(at, tables);
    }

    @Override
    public void close() {
        source.close();
    }
}
