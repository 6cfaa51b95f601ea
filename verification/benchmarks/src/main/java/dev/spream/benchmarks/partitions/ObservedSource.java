package dev.spream.benchmarks.partitions;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.ForwardingSource;
import dev.spream.core.source.PartitionQuery;
import java.util.Optional;

/** A source that reports a subscriber's queries and their results. As safe for use by many threads as the source it wraps. */
final class ObservedSource extends ForwardingSource {
    private final Observer observer;

    ObservedSource(ChangeStreamSource source, Observer observer) {
        super(source);
        this.observer = observer;
    }

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
        return super.query(query);
    }

    @Override
    protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException {
        Optional<ChangeRecord> next = cursor.next();
        if (next.isEmpty()) {
            observer.ended(partition);
        }
        next.ifPresent(record -> observer.returned(partition, record));
        return next;
    }
}
