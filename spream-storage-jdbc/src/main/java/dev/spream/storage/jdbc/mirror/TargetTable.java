package dev.spream.storage.jdbc.mirror;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A table of the mirror, as defined in PostgreSQL.
 *
 * @param columns its columns, by name
 * @param uniqueKeys its unique keys
 */
record TargetTable(TableName name, Map<String, TargetColumn> columns, List<UniqueKey> uniqueKeys) {

    /**
     * A unique index that an upsert can refer to.
     *
     * @param columns its columns; none for an index that permits one row
     * @param takesNull whether NULLs are not distinct
     */
    record UniqueKey(Set<String> columns, boolean takesNull) {}

    Optional<UniqueKey> uniqueKey(Set<String> keyColumns) {
        return uniqueKeys.stream()
                .filter(key -> key.columns().equals(keyColumns))
                .findFirst();
    }

    @Nullable
    TargetColumn find(String column) {
        return columns.get(column);
    }

    TargetColumn column(String column) {
        TargetColumn found = columns.get(column);
        if (found == null) {
            throw new IllegalStateException("the table %s has no column %s".formatted(name, column));
        }
        return found;
    }
}
