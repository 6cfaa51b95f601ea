package dev.spream.benchmarks.formats;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.format.QualifiedStreamName;
import dev.spream.benchmarks.harness.Comparison;
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
import java.util.Map;
import java.util.Optional;

/**
 * Writing the key and the value of a row in each format, those of plug-ins included, compared with the documentation's record: an UPDATE of a row with
 * eight columns, as a sink gets it, whose values are text that was not parsed before.
 */
public final class FormatCost {
    private static final int ROWS = 100_000;
    private static final int WARM_UPS = 3;
    private static final int TURNS = 15;
    private static final QualifiedStreamName STREAM =
            QualifiedStreamName.of("projects/p/instances/i/databases/shop", "OrdersStream");
    private static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-1".repeat(13)), 1, 1, Optional.empty(), Optional.empty());
    private static final DataChangeRecord CHANGE = change();

    private FormatCost() {}

    public static void main(String[] args) throws Exception {
        InstantSource clock = InstantSource.system();
        new Comparison("formats of a row with eight columns", ROWS)
                .add("record", () -> write(ChangeFormat.record()))
                .add("after", () -> write(ChangeFormat.after(false)))
                .add("debezium", () -> write(ChangeFormat.debezium(STREAM, "shop", false, clock)))
                .add("debezium with schemas", () -> write(ChangeFormat.debezium(STREAM, "shop", true, clock)))
                .add("cloudevents", () -> write(ChangeFormat.cloudEvents(STREAM)))
                .add("avro, the change", () -> write(plugin("avro", "record")))
                .add("avro, the row", () -> write(plugin("avro", "after")))
                .add("protobuf, the change", () -> write(plugin("protobuf", "record")))
                .add("protobuf, the row", () -> write(plugin("protobuf", "after")))
                .run(WARM_UPS, TURNS);
    }

    /** Writes rows, and returns their number; none is empty. */
    private static long write(ChangeFormat format) {
        long written = 0;
        for (int i = 0; i < ROWS; i++) {
            ChangedRow row = new ChangedRow(unparsed(), 0, DELIVERY);
            written += format.key(row).length > 0 && format.value(row).length > 0 ? 1 : 0;
        }
        return written;
    }

    /** Returns a format as a sink has it that names it in its configuration, without a registry. */
    private static ChangeFormat plugin(String name, String shape) {
        return PluginFormat.of(name, Map.of("shape", shape));
    }

    /** Returns the change with objects that were not parsed yet. */
    private static DataChangeRecord unparsed() {
        Mod mod = CHANGE.mods().getFirst();
        Mod unparsed = new Mod(
                JsonObject.of(mod.keys().toString()),
                JsonObject.of(mod.newValues().toString()),
                JsonObject.of(mod.oldValues().toString()));
        return CHANGE.with(CHANGE.columnTypes(), List.of(unparsed));
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
}
