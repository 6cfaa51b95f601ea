package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import java.time.Instant;

/** Writes records as the rows of a query's result: one value a row. Safe for use by many threads. */
interface RecordEncoder {
    /** The type of the rows. */
    ResultSetMetadata metadata();

    Value data(DataRecord record);

    Value heartbeat(Instant timestamp);

    Value children(ChildRecord record);
}
