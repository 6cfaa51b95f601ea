package dev.spream.emulator.internal.schema;

import java.util.List;

/**
 * A table.
 *
 * @param name as declared
 * @param columns in declared order
 * @param primaryKey the key's column names, in key order
 */
public record Table(String name, List<Column> columns, List<String> primaryKey) {
    public Table {
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
    }
}
