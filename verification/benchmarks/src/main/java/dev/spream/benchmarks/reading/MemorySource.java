package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.LocalSource;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A stream of one partition with negligible reading cost: its changes are created on demand, a microsecond apart, over
 * a number of keys in turns. Safe for use by many threads.
 */
final class MemorySource extends LocalSource {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant END = START.plus(1, ChronoUnit.HOURS);

    private static final List<ColumnType> COLUMNS = List.of(
            new ColumnType("OrderId", SpannerType.of(TypeCode.INT64), true, 1),
            new ColumnType("Status", SpannerType.of(TypeCode.STRING), false, 2));
    private static final JsonObject VALUES = JsonObject.of("{\"Status\":\"open\"}");

    private final long changes;
    private final int keys;

    MemorySource(long changes, int keys) {
        super("Memory");
        this.changes = changes;
        this.keys = keys;
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        if (query.token().isRoot()) {
            return partitions(START, Stream.of("memory"));
        }
        long first = ChronoUnit.MICROS.between(START, query.startTimestamp());
        return records(LongStream.range(first, changes).mapToObj(this::change).iterator());
    }

    private DataChangeRecord change(long index) {
        return change(
                START.plus(index, ChronoUnit.MICROS),
                Long.toString(index),
                "Orders",
                COLUMNS,
                List.of(new Mod(JsonObject.of("{\"OrderId\":\"" + index % keys + "\"}"), VALUES, JsonObject.EMPTY)),
                ModType.UPDATE,
                ValueCaptureType.NEW_VALUES);
    }
}
