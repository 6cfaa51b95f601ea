package dev.spream.testkit.consume;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Changes with fixed, distinguishable contents, for tests. */
public final class Changes {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Changes() {}

    /** Returns a change of rows of one table, committed the given number of seconds after the start. */
    public static DataChangeRecord of(long second, String... ids) {
        return withValues(second, "{\"Note\":\"" + second + "\"}", ids);
    }

    /** Returns a change that wrote these values to each of the rows. */
    public static DataChangeRecord withValues(long second, String newValues, String... ids) {
        return new DataChangeRecord(
                START.plusSeconds(second),
                "00000000",
                "tx" + second,
                true,
                "Orders",
                List.of(),
                Stream.of(ids)
                        .map(id -> new Mod(key(id).primaryKey(), JsonObject.of(newValues), JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    public static RecordKey key(String id) {
        return new RecordKey("Orders", JsonObject.of("{\"Id\":\"" + id + "\"}"));
    }
}
