package dev.spream.storage.jdbc.outbox;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Changes of a table of orders with the key {@code Id} and the column {@code Name}. */
final class OutboxChanges {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<ColumnType> COLUMNS = List.of(
            new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1),
            new ColumnType("Name", SpannerType.of(TypeCode.STRING), false, 2));

    private OutboxChanges() {}

    /**
     * Returns an update of these rows, committed that many seconds after the start; a row has the form {@code 7:name}.
     */
    static DataChangeRecord change(long second, String... rows) {
        return new DataChangeRecord(
                START.plusSeconds(second),
                "00000000",
                "tx" + second,
                true,
                "Orders",
                COLUMNS,
                Arrays.stream(rows).map(OutboxChanges::mod).toList(),
                "UPDATE",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }

    private static Mod mod(String row) {
        int colon = row.indexOf(':');
        return new Mod(
                JsonObject.of("{\"Id\":\"%s\"}".formatted(row.substring(0, colon))),
                JsonObject.of("{\"Name\":\"%s\"}".formatted(row.substring(colon + 1))),
                JsonObject.EMPTY);
    }
}
