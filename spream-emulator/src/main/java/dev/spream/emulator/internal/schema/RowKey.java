package dev.spream.emulator.internal.schema;

import com.google.protobuf.Value;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The identity of a row.
 *
 * @param table the name of its table, as declared
 * @param key the values of its primary key, in key order
 */
public record RowKey(String table, List<Value> key) {
    public RowKey {
        key = List.copyOf(key);
    }

    /** Returns the key of a whole row. */
    public static RowKey of(Table table, Map<String, Value> row) {
        return new RowKey(
                table.name(),
                table.primaryKey().stream()
                        .map(column -> Objects.requireNonNull(row.get(column), column))
                        .toList());
    }
}
