package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record in a partition's history. It is encoded on its first read and kept encoded. Safe for use by many threads;
 * concurrent first reads may both encode it, with the same result.
 */
final class StreamEntry {
    private final Instant timestamp;
    private final boolean data;
    private final boolean moveIn;
    private final RecordEncoder encoder;
    private volatile @Nullable StreamRecord record;
    private volatile @Nullable Value encoded;

    StreamEntry(StreamRecord record, RecordEncoder encoder) {
        this.timestamp = record.timestamp();
        this.data = record instanceof DataRecord;
        this.moveIn =
                record instanceof StreamRecord.Event event && !event.sources().isEmpty();
        this.encoder = encoder;
        this.record = record;
    }

    Instant timestamp() {
        return timestamp;
    }

    /** Returns whether it is a data change record. */
    boolean isData() {
        return data;
    }

    /** Returns whether it is an event with move-ins. */
    boolean isMoveIn() {
        return moveIn;
    }

    Value encoded() {
        StreamRecord current = record;
        Value known = encoded;
        if (known != null) {
            return known;
        }
        if (current == null) {
            throw new IllegalStateException("a record at " + timestamp + " is neither encoded nor kept");
        }
        Value result = encoder.encode(current);
        encoded = result;
        record = null;
        return result;
    }
}
