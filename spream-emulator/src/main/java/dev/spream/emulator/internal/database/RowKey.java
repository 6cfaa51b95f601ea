package dev.spream.emulator.internal.database;

import com.google.protobuf.Value;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.Values;
import java.util.List;
import java.util.Map;

/**
 * The identity of a row.
 *
 * @param table the name of its table, as declared
 * @param key the values of its primary key, in key order
 */
record RowKey(String table, List<Value> key) {
    RowKey {
        key = List.copyOf(key);
    }

    static RowKey of(Table table, Map<String, Value> row) {
        return new RowKey(
                table.name(),
                table.primaryKey().stream()
                        .map(column -> row.getOrDefault(column, Values.NULL))
                        .toList());
    }
}
