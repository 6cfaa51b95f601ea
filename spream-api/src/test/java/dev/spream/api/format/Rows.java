package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rows of a table {@code Orders} with a column of every type. */
final class Rows {
    static final QualifiedStreamName STREAM =
            QualifiedStreamName.of("projects/p/instances/i/databases/shop", "OrdersStream");
    static final Instant COMMITTED = Instant.parse("2026-01-31T12:00:00.123456789Z");
    static final Instant WRITTEN = Instant.parse("2026-01-31T12:00:01.5Z");
    static final List<ColumnType> COLUMNS = List.of(
            column("Status", 3, TypeCode.STRING),
            new ColumnType("Line", SpannerType.of(TypeCode.STRING), true, 2),
            new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1),
            column("Total", 4, TypeCode.NUMERIC),
            column("Weight", 5, TypeCode.FLOAT64),
            column("Ratio", 6, TypeCode.FLOAT32),
            column("Paid", 7, TypeCode.BOOL),
            column("Note", 8, TypeCode.BYTES),
            column("Placed", 9, TypeCode.TIMESTAMP),
            column("Due", 10, TypeCode.DATE),
            column("Doc", 11, TypeCode.JSON),
            column("Ref", 12, TypeCode.UUID),
            column("Kind", 13, TypeCode.ENUM),
            array("Tags", 14, TypeCode.STRING),
            array("Counts", 15, TypeCode.INT64));
    static final String NEW = "{\"Status\":\"NEW\",\"Total\":\"12.50\",\"Weight\":\"NaN\",\"Ratio\":1.100000023841858,"
            + "\"Paid\":true,\"Note\":\"AQL/\",\"Placed\":\"2026-01-31T12:00:00Z\",\"Due\":\"2026-02-01\","
            + "\"Doc\":\"{\\\"a\\\":[1,2.50]}\",\"Ref\":\"7f1c2a7e-0000-4000-8000-000000000001\",\"Kind\":\"2\","
            + "\"Tags\":[\"x\",null],\"Counts\":[\"1\",\"-9007199254740993\"]}";
    static final JsonObject KEY = JsonObject.of("{\"Id\":\"9007199254740993\",\"Line\":\"a\\n\\\"b\\\"\"}");

    private Rows() {}

    private static ColumnType column(String name, int position, TypeCode code) {
        return new ColumnType(name, SpannerType.of(code), false, position);
    }

    private static ColumnType array(String name, int position, TypeCode element) {
        JsonObject type = JsonObject.of(Map.of("code", "ARRAY", "array_element_type", Map.of("code", element.name())));
        return new ColumnType(name, new SpannerType(type), false, position);
    }

    static ChangedRow inserted() {
        return row("INSERT", "NEW_ROW", NEW, "{}");
    }

    static ChangedRow updated(String valueCaptureType) {
        return row("UPDATE", valueCaptureType, "{\"Status\":\"PAID\"}", "{\"Status\":\"NEW\"}");
    }

    static ChangedRow deleted() {
        return row("DELETE", "OLD_AND_NEW_VALUES", "{}", "{\"Status\":\"PAID\"}");
    }

    static ChangedRow row(String modType, String valueCaptureType, String newValues, String oldValues) {
        return row(modType, valueCaptureType, new Mod(KEY, JsonObject.of(newValues), JsonObject.of(oldValues)));
    }

    static ChangedRow row(String modType, String valueCaptureType, Mod mod) {
        return new ChangedRow(change(modType, valueCaptureType, COLUMNS, mod), 0, delivery("partition-1"));
    }

    static DataChangeRecord change(String modType, String valueCaptureType, List<ColumnType> columns, Mod... mods) {
        return new DataChangeRecord(
                COMMITTED,
                "00000007",
                "tx1",
                true,
                "Orders",
                columns,
                List.of(mods),
                modType,
                valueCaptureType,
                2,
                1,
                "import",
                false);
    }

    static Delivery delivery(String partition) {
        return new Delivery(new PartitionToken(partition), 1, 1, Optional.empty(), Optional.empty());
    }

    static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}
