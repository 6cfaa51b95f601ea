package dev.spream.format.avro;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Changes of a table of orders for tests. */
final class Changes {
    static final Instant COMMITTED = Instant.parse("2026-01-31T12:00:00.123456Z");
    static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-1"), 1, 1, Optional.empty(), Optional.empty());
    static final ColumnType ID = column("Id", TypeCode.INT64, true, 1);
    static final ColumnType STATUS = column("Status", TypeCode.STRING, false, 2);
    static final ColumnType TOTAL = column("Total", TypeCode.NUMERIC, false, 3);
    static final ColumnType NOTE = column("Note", TypeCode.STRING, false, 4);

    private Changes() {}

    static ColumnType column(String name, TypeCode code, boolean isKey, long place) {
        return new ColumnType(name, SpannerType.of(code), isKey, place);
    }

    static Mod mod(String keys, String values) {
        return new Mod(JsonObject.of(keys), JsonObject.of(values), JsonObject.EMPTY);
    }

    static DataChangeRecord change(String kind, String capture, List<ColumnType> columns, Mod... mods) {
        return new DataChangeRecord(
                COMMITTED,
                "00000001",
                "6329047911",
                true,
                "Orders",
                columns,
                Arrays.asList(mods),
                kind,
                capture,
                2,
                1,
                "tag",
                false);
    }

    static DataChangeRecord at(DataChangeRecord change, Instant time) {
        return new DataChangeRecord(
                time,
                change.recordSequence(),
                "tx" + time.getEpochSecond(),
                true,
                change.tableName(),
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                1,
                1,
                "",
                false);
    }

    static DataChangeRecord inserted() {
        return change(
                "INSERT",
                "NEW_ROW",
                List.of(ID, STATUS, TOTAL),
                mod("{\"Id\":\"17\"}", "{\"Status\":\"NEW\",\"Total\":\"12.50\"}"));
    }

    static DataChangeRecord withNote() {
        return change(
                "UPDATE",
                "NEW_ROW",
                List.of(ID, STATUS, TOTAL, NOTE),
                mod("{\"Id\":\"17\"}", "{\"Status\":\"PAID\",\"Total\":\"12.50\",\"Note\":\"thanks\"}"));
    }

    static DataChangeRecord deleted() {
        return change("DELETE", "NEW_ROW", List.of(ID), mod("{\"Id\":\"17\"}", "{}"));
    }
}
