package dev.spream.servers;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.ForwardingSource;
import dev.spream.core.source.PartitionQuery;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A source that records its queries and the changes that the server returned, so that a change that the server left out is distinguished
 * from one that the engine lost. Safe for use by many threads.
 */
public final class RecordingSource extends ForwardingSource {
    private final Set<DataChangeRecord> returned = ConcurrentHashMap.newKeySet();
    private final Set<PartitionToken> queried = ConcurrentHashMap.newKeySet();

    public RecordingSource(ChangeStreamSource source) {
        super(source);
    }

    public Set<DataChangeRecord> returned() {
        return Set.copyOf(returned);
    }

    /** Returns the partitions that were queried, the root among them. */
    public Set<PartitionToken> queried() {
        return Set.copyOf(queried);
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        queried.add(query.token());
        return super.query(query);
    }

    @Override
    protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
            throws InterruptedException {
        Optional<ChangeRecord> next = cursor.next();
        if (next.isPresent() && next.get() instanceof DataChangeRecord change) {
            returned.add(change);
        }
        return next;
    }
}
