package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.Table;
import java.util.List;

/**
 * A table as one stream watches it.
 *
 * @param keys the key's columns, in key order
 * @param watched the watched columns without the key, in declared order
 */
record TableLayout(Table table, List<Column> keys, List<Column> watched) {

    static TableLayout of(Table table, List<Column> watched) {
        List<Column> keys = table.primaryKey().stream()
                .map(key -> table.columns().stream()
                        .filter(column -> column.name().equals(key))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "key column " + key + " is not a column of table " + table.name())))
                .toList();
        return new TableLayout(table, keys, watched);
    }

    /** Returns the watched columns of the given extent, for one changed row. */
    List<Column> columns(ValueCapture.Extent extent, RowChange change) {
        return switch (extent) {
            case NONE -> List.of();
            case MODIFIED -> modified(change);
            case WATCHED -> watched;
        };
    }

    /** Returns the watched columns that the transaction wrote, whether or not their values differ. */
    private List<Column> modified(RowChange change) {
        if (change.writtenColumns().size() >= table.columns().size()) {
            return watched;
        }
        return watched.stream()
                .filter(column -> change.writtenColumns().contains(column.name()))
                .toList();
    }

    /** Returns whether the stream records the change: an update that writes no watched column leaves no record. */
    boolean concerns(RowChange change) {
        return change.kind() != RowChange.Kind.UPDATE
                || watched.stream().anyMatch(column -> change.writtenColumns().contains(column.name()));
    }

    boolean isKey(Column column) {
        return table.primaryKey().contains(column.name());
    }

    /** Returns these columns and the key's, in declared order. */
    List<Column> withKeys(List<Column> columns) {
        return table.columns().stream()
                .filter(column -> isKey(column) || columns.contains(column))
                .toList();
    }
}
