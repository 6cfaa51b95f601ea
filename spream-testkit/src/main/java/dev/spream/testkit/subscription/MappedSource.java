package dev.spream.testkit.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.ForwardingSource;
import java.util.Optional;

/** Another source whose records are delayed, replaced or removed when they are read. */
public final class MappedSource extends ForwardingSource {
    private final Mapping mapping;

    public MappedSource(ChangeStreamSource source, Mapping mapping) {
        super(source);
        this.mapping = mapping;
    }

    /** The treatment of a record. */
    public interface Mapping {
        /** Returns what is read in place of that record; empty for nothing. */
        Optional<ChangeRecord> map(ChangeRecord record) throws InterruptedException;
    }

    @Override
    protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException {
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
}
