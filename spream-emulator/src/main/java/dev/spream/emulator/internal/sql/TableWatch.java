package dev.spream.emulator.internal.sql;

import java.util.List;

/**
 * A table in a stream's FOR clause.
 *
 * @param table its name
 * @param wholeTable whether all columns are watched, later ones included
 * @param columns otherwise the watched columns beside the key, which may be none
 */
public record TableWatch(String table, boolean wholeTable, List<String> columns) {
    public TableWatch {
        columns = List.copyOf(columns);
    }
}
