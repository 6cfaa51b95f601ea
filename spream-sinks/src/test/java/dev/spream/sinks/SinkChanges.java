package dev.spream.sinks;

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
import java.util.Optional;
import java.util.stream.Stream;

/** Changes for tests. */
public final class SinkChanges {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    public static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-0123456789"), 1, 1, Optional.empty(), Optional.empty());

    private SinkChanges() {}

    /** A row of {@code Orders}, inserted that many seconds after the start. */
    public static DataChangeRecord inserted(long second, String id) {
        return inserted(second, id, "{\"Note\":\"secret note\"}");
    }

    /** Rows of {@code Orders} with a number as key, updated together. */
    public static DataChangeRecord updated(long second, String... ids) {
        DataChangeRecord one = inserted(second, "1");
        return new DataChangeRecord(
                one.commitTimestamp(),
                one.recordSequence(),
                one.serverTransactionId(),
                true,
                "Orders",
                List.of(
                        new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1),
                        new ColumnType("Note", SpannerType.of(TypeCode.STRING), false, 2)),
                Stream.of(ids)
                        .map(id -> new Mod(
                                JsonObject.of("{\"Id\":\"" + id + "\"}"),
                                JsonObject.of("{\"Note\":\"secret note\"}"),
                                JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }

    public static DataChangeRecord inserted(long second, String id, String values) {
        return new DataChangeRecord(
                START.plusSeconds(second),
                "00000000",
                "tx" + second,
                true,
                "Orders",
                List.of(),
                List.of(new Mod(JsonObject.of("{\"Id\":\"" + id + "\"}"), JsonObject.of(values), JsonObject.EMPTY)),
                "INSERT",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }
}
