package dev.spream.format.protobuf;

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

    private Changes() {}

    static ColumnType column(String name, TypeCode code, boolean isKey, long place) {
        return new ColumnType(name, SpannerType.of(code), isKey, place);
    }

    static ColumnType array(String name, String element, long place) {
        return new ColumnType(
                name,
                new SpannerType(JsonObject.of(
                        "{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"%s\"}}".formatted(element))),
                false,
                place);
    }

    static Mod mod(String keys, String values) {
        return new Mod(JsonObject.of(keys), JsonObject.of(values), JsonObject.EMPTY);
    }

    static DataChangeRecord change(String kind, String capture, List<ColumnType> columns, Mod... mods) {
        return of("Orders", kind, capture, columns, mods);
    }

    /** Returns an INSERT of a row of a table, whose first column is the key. */
    static DataChangeRecord row(String table, List<ColumnType> columns, String values) {
        return of(table, "INSERT", "NEW_ROW", columns, mod("{\"%s\":\"17\"}".formatted(ID.name()), values));
    }

    private static DataChangeRecord of(
            String table, String kind, String capture, List<ColumnType> columns, Mod... mods) {
        return new DataChangeRecord(
                COMMITTED,
                "00000001",
                "6329047911",
                true,
                table,
                columns,
                Arrays.asList(mods),
                kind,
                capture,
                2,
                1,
                "tag",
                false);
    }

    static DataChangeRecord inserted() {
        return row("Orders", List.of(ID, STATUS, TOTAL), "{\"Status\":\"NEW\",\"Total\":\"12.50\"}");
    }

    static DataChangeRecord deleted() {
        return change("DELETE", "NEW_ROW", List.of(ID), mod("{\"Id\":\"17\"}", "{}"));
    }
}
