package dev.spream.benchmarks;

import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
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
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A stream of one partition that costs next to nothing to read: its changes are made when they are asked for, a microsecond
 * apart, over a number of keys in turns. Safe for use by many threads.
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
            return new Cursor(List.<ChangeRecord>of(new ChildPartitionsRecord(
                            START, "00000001", List.of(ChildPartition.of("memory", List.of()))))
                    .iterator());
        }
        long first = ChronoUnit.MICROS.between(START, query.startTimestamp());
        return new Cursor(
                LongStream.range(first, changes).mapToObj(this::change).iterator());
    }

    private ChangeRecord change(long index) {
        return new DataChangeRecord(
                START.plus(index, ChronoUnit.MICROS),
                "00000000",
                Long.toString(index),
                true,
                "Orders",
                COLUMNS,
                List.of(new Mod(JsonObject.of("{\"OrderId\":\"" + index % keys + "\"}"), VALUES, JsonObject.EMPTY)),
                ModType.UPDATE.name(),
                ValueCaptureType.NEW_VALUES.name(),
                1,
                1,
                "",
                false);
    }

    private record Cursor(Iterator<ChangeRecord> records) implements ChangeStreamCursor {
        @Override
        public Optional<ChangeRecord> next() {
            return records.hasNext() ? Optional.of(records.next()) : Optional.empty();
        }

        @Override
        public int prefetched() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
