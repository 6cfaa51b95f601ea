package dev.spream.format.schema;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The data from which the schema of a table's rows is made.
 *
 * @param columns the columns of the change
 * @param nullKeys the columns of the primary key that are NULL in a row
 */
public record RowForm(Use use, String table, List<ColumnType> columns, Set<String> nullKeys) {
    /** The rows that a schema is for. */
    public enum Use {
        KEY,
        MESSAGE,
        FILE
    }

    public RowForm {
        columns = List.copyOf(columns);
        nullKeys = Set.copyOf(nullKeys);
    }

    /** Returns the form of a change's rows. */
    public static RowForm of(Use use, DataChangeRecord change) {
        Set<String> nullKeys = change.columnTypes().stream()
                .filter(ColumnType::isPrimaryKey)
                .map(ColumnType::name)
                .filter(name ->
                        change.mods().stream().anyMatch(mod -> mod.keys().get(name) == null))
                .collect(Collectors.toUnmodifiableSet());
        return new RowForm(use, change.tableName(), change.columnTypes(), nullKeys);
    }
}
