package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import java.time.Instant;

/** Encodes records as the rows of a query's result, one value a row. Safe for use by many threads. */
interface RecordEncoder {

    static RecordEncoder of(Dialect dialect, StreamDefinition stream) {
        String function = stream.readFunction(dialect);
        return stream.partitionMode() == PartitionMode.MUTABLE_KEY_RANGE
                ? new ProtoRecordEncoder(dialect, function)
                : new JsonRecordEncoder(dialect, function);
    }

    /** Returns the type of the result. */
    ResultSetMetadata metadata();

    Value encode(StreamRecord record);

    Value heartbeat(Instant timestamp);
}
