package dev.spream.benchmarks.delivery;

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
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A stream of orders with negligible reading cost: several partitions with keys of their own, each of which is inserted
 * and then updated repeatedly, with new values of all columns. Safe for use by many threads.
 */
final class OrdersSource extends LocalSource {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant END = START.plus(1, ChronoUnit.HOURS);

    private static final List<ColumnType> COLUMNS = List.of(
            new ColumnType("OrderId", SpannerType.of(TypeCode.INT64), true, 1),
            new ColumnType("Customer", SpannerType.of(TypeCode.STRING), false, 2),
            new ColumnType("Amount", SpannerType.of(TypeCode.NUMERIC), false, 3),
            new ColumnType("Paid", SpannerType.of(TypeCode.BOOL), false, 4),
            new ColumnType("ChangedAt", SpannerType.of(TypeCode.TIMESTAMP), false, 5));
    private static final String NAME = "Orders";

    private final long changes;
    private final int partitions;
    private final int keysOfPartition;

    /** @param changes the total number; a multiple of the number of partitions */
    OrdersSource(long changes, int partitions, int keysOfPartition) {
        super(NAME);
        this.changes = changes;
        this.partitions = partitions;
        this.keysOfPartition = keysOfPartition;
    }

    /** Returns the changes of a partition. */
    Iterator<DataChangeRecord> changes(int partition) {
        return changes(partition, START);
    }

    private Iterator<DataChangeRecord> changes(int partition, Instant from) {
        return LongStream.range(ChronoUnit.MICROS.between(START, from), changes / partitions)
                .mapToObj(index -> change(partition, index))
                .iterator();
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        return query.token().isRoot()
                ? partitions(START, IntStream.range(0, partitions).mapToObj(Integer::toString))
                : records(changes(Integer.parseInt(query.token().value()), query.startTimestamp()));
    }

    private DataChangeRecord change(int partition, long index) {
        Instant at = START.plus(index, ChronoUnit.MICROS);
        long id = partition * (long) keysOfPartition + index % keysOfPartition;
        String values = """
                {"Customer":"customer %d of partition %d","Amount":"%d.25","Paid":%s,"ChangedAt":"%s"}""".formatted(id, partition, index, index % 2 == 0, at);
        return change(
                at,
                partition + "-" + index,
                NAME,
                COLUMNS,
                List.of(new Mod(
                        JsonObject.of("{\"OrderId\":\"" + id + "\"}"), JsonObject.of(values), JsonObject.EMPTY)),
                index < keysOfPartition ? ModType.INSERT : ModType.UPDATE,
                ValueCaptureType.NEW_ROW);
    }
}
