package dev.spream.projection.changestream;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.ForwardingSource;
import java.util.Optional;

/**
 * A change stream that records the order in which it returns changes, and that it returns records at all. Closing it does
 * nothing: the wrapped stream belongs to the caller.
 */
final class ReadOrderRecorder extends ForwardingSource {
    private final ReadOrderBuffer order;
    private final ReadStallTracker unread;

    ReadOrderRecorder(ChangeStreamSource stream, ReadOrderBuffer order, ReadStallTracker unread) {
        super(stream);
        this.order = order;
        this.unread = unread;
    }

    @Override
    protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException {
        Optional<ChangeRecord> next = cursor.next();
        unread.returned(partition);
        if (next.isPresent() && next.get() instanceof DataChangeRecord change) {
            order.returned(partition, change);
        }
        return next;
    }

    /** Does nothing. */
    @Override
    public void close() {}
}
