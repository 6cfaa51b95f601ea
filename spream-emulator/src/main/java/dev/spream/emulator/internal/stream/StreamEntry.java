package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A data change record in a partition's history. It is encoded on its first read and kept encoded. Safe for use by many
 * threads; concurrent first reads may both encode it, with the same result.
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
