package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A data change record in a partition's history. It is encoded when it is first read, and kept encoded from then on. Safe
 * for use by many threads; two that read it first may both encode it, to the same end.
 */
final class StreamEntry {
    private final Instant timestamp;
    private final RecordEncoder encoder;
    private volatile @Nullable DataRecord record;
    private volatile @Nullable Value encoded;

    StreamEntry(DataRecord record, RecordEncoder encoder) {
        this.timestamp = record.transaction().commitTimestamp();
        this.encoder = encoder;
        this.record = record;
    }

    Instant timestamp() {
        return timestamp;
    }

    Value encoded() {
        DataRecord current = record;
        Value known = encoded;
        if (known != null) {
            return known;
        }
        if (current == null) {
            throw new IllegalStateException("a record at " + timestamp + " is neither encoded nor kept");
        }
        Value result = encoder.data(current);
        encoded = result;
        record = null;
        return result;
    }
}
