package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.ForwardingSource;
import dev.spream.core.source.SourceException;
import java.io.IOException;
import java.util.Optional;

/**
 * A source whose records that are not delivered are printed, as they are read: heartbeats, and those about partitions.
 * Changes in flight are printed after records that were read after them. Safe for use by many threads.
 */
final class ReadRecords extends ForwardingSource {
    private final Printer printer;

    /** @param printer called by the threads that read partitions */
    ReadRecords(ChangeStreamSource source, Printer printer) {
        super(source);
        this.printer = printer;
    }

    /** Takes records that are not delivered. */
    interface Printer {
        void print(PartitionToken partition, ChangeRecord record) throws IOException, InterruptedException;
    }

    @Override
    protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException {
        Optional<ChangeRecord> record = cursor.next();
        if (record.isPresent() && !(record.get() instanceof DataChangeRecord)) {
            print(partition, record.get());
        }
        return record;
    }

    private void print(PartitionToken partition, ChangeRecord record) throws InterruptedException {
        try {
            printer.print(partition, record);
        } catch (IOException e) {
            throw new SourceException(
                    SourceException.Kind.FATAL, "a record could not be printed: " + e.getMessage(), e);
        }
    }
}
