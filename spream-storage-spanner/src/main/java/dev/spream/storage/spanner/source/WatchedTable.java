package dev.spream.storage.spanner.source;

import java.util.List;
import java.util.stream.Stream;

/**
 * A table of a change stream.
 *
 * @param name the name, with its schema unless it is the default one
 * @param key the columns of the primary key, in its order
 * @param others the watched columns that are not in the key
 */
record WatchedTable(String name, List<Column> key, List<Column> others) {
    WatchedTable {
        key = List.copyOf(key);
        others = List.copyOf(others);
    }

    /** @param ordinal the place of the column in the table, from 1 */
    record Column(String name, long ordinal) {}

    List<String> keyNames() {
        return key.stream().map(Column::name).toList();
    }

    List<Column> columns() {
        return Stream.concat(key.stream(), others.stream()).toList();
    }
}
