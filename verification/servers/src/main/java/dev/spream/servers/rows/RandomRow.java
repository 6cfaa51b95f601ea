package dev.spream.servers.rows;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * An INSERT of a row of up to twelve columns {@code C1}, {@code C2} and so on, of any types.
 *
 * @param kinds the types of the columns, or of the elements of an ARRAY, by their names
 * @param read the values that a reader should get, by the names of the columns
 */
public record RandomRow(DataChangeRecord change, Map<String, ValueKind> kinds, Map<String, @Nullable Object> read) {

    public static RandomRow of(String table, Random random) {
        List<ColumnType> columns = new ArrayList<>();
        Map<String, @Nullable Object> keys = new LinkedHashMap<>();
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        Map<String, ValueKind> kinds = new LinkedHashMap<>();
        Map<String, @Nullable Object> read = new LinkedHashMap<>();
        int count = 1 + random.nextInt(12);
        for (int place = 1; place <= count; place++) {
            ValueKind kind = ValueKind.oneOf(random, ValueKind.values());
            boolean isKey = place == 1 || random.nextInt(6) == 0;
            boolean isArray = !isKey && random.nextInt(3) == 0;
            RandomValue value = isKey ? kind.value(random) : isArray ? kind.array(random) : kind.nullable(random);
            String name = "C" + place;
            columns.add(new ColumnType(name, kind.spannerType(isArray), isKey, place));
            (isKey ? keys : values).put(name, value.sent());
            kinds.put(name, kind);
            read.put(name, value.read());
        }
        Mod mod = new Mod(JsonObject.of(keys), JsonObject.of(values), JsonObject.EMPTY);
        return new RandomRow(inserted(table, columns, mod), kinds, read);
    }

    private static DataChangeRecord inserted(String table, List<ColumnType> columns, Mod mod) {
        return new DataChangeRecord(
                Instant.parse("2026-01-31T12:00:00.123456Z"),
                "00000001",
                "6329047911",
                true,
                table,
                columns,
                List.of(mod),
                "INSERT",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }
}
