package dev.spream.benchmarks.formats;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.format.StreamName;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * An UPDATE of a row with eight columns, as a sink gets it: its values are text that was not parsed before.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx512m")
public class FormatBenchmark {
    private static final StreamName STREAM = StreamName.of("projects/p/instances/i/databases/shop", "OrdersStream");
    private static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-1".repeat(13)), 1, 1, Optional.empty(), Optional.empty());

    @Param({"record", "after", "debezium", "debezium-schemas", "cloudevents"})
    public String format = "";

    private ChangeFormat chosen = ChangeFormat.record();
    private DataChangeRecord template = change();

    @Setup
    public void createFormat() {
        template = change();
        chosen = switch (format) {
            case "after" -> ChangeFormat.after(false);
            case "debezium" -> ChangeFormat.debezium(STREAM, "shop", false, InstantSource.system());
            case "debezium-schemas" -> ChangeFormat.debezium(STREAM, "shop", true, InstantSource.system());
            case "cloudevents" -> ChangeFormat.cloudEvents(STREAM);
            default -> ChangeFormat.record();
        };
    }

    private static DataChangeRecord change() {
        return new DataChangeRecord(
                Instant.parse("2026-01-31T12:00:00.123456Z"),
                "00000001",
                "6329047911",
                true,
                "Orders",
                columns(),
                List.of(new Mod(
                        JsonObject.of("{\"Id\":\"17\"}"),
                        JsonObject.of("{\"Customer\":\"4711\",\"Status\":\"PAID\",\"Total\":\"12.50\",\"Paid\":true,"
                                + "\"Placed\":\"2026-01-31T11:59:58.000000Z\",\"Weight\":1.25,\"Note\":null}"),
                        JsonObject.of("{\"Status\":\"NEW\",\"Paid\":false}"))),
                "UPDATE",
                "NEW_ROW_AND_OLD_VALUES",
                1,
                1,
                "",
                false);
    }

    private static List<ColumnType> columns() {
        return List.of(
                new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1),
                new ColumnType("Customer", SpannerType.of(TypeCode.INT64), false, 2),
                new ColumnType("Status", SpannerType.of(TypeCode.STRING), false, 3),
                new ColumnType("Total", SpannerType.of(TypeCode.NUMERIC), false, 4),
                new ColumnType("Paid", SpannerType.of(TypeCode.BOOL), false, 5),
                new ColumnType("Placed", SpannerType.of(TypeCode.TIMESTAMP), false, 6),
                new ColumnType("Weight", SpannerType.of(TypeCode.FLOAT64), false, 7),
                new ColumnType("Note", SpannerType.of(TypeCode.STRING), false, 8));
    }

    /** Writes the value, without its key, as jsonl and webhook do. */
    @Benchmark
    public byte[] value() {
        return chosen.value(new ChangedRow(fresh(), 0, DELIVERY));
    }

    /** Writes key and value, as a broker gets them. */
    @Benchmark
    public int keyAndValue() {
        ChangedRow row = new ChangedRow(fresh(), 0, DELIVERY);
        return chosen.key(row).length + chosen.value(row).length;
    }

    /** Returns a change whose objects were not parsed yet. */
    private DataChangeRecord fresh() {
        Mod mod = template.mods().getFirst();
        Mod unparsed = new Mod(
                JsonObject.of(mod.keys().toString()),
                JsonObject.of(mod.newValues().toString()),
                JsonObject.of(mod.oldValues().toString()));
        return template.with(template.columnTypes(), List.of(unparsed));
    }
}
