package dev.spream.storage.jdbc.mirror;

import java.util.Comparator;
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
 * @param references its foreign keys, and those to it
 */
record TargetTable(TableName name, Map<String, TargetColumn> columns, List<UniqueKey> uniqueKeys, References references)
        implements Comparable<TargetTable> {
    private static final Comparator<TargetTable> ORDER = Comparator.comparingInt(
                    (TargetTable table) -> table.references().depth())
            .thenComparing(TargetTable::name);

    /**
     * The place of a table among those that are linked by foreign keys that are checked at the end of a statement.
     *
     * @param depth the number of foreign keys in the longest chain that begins at this table; 0 without any
     * @param isReferred whether the delete of a row fails, or changes other rows, while others refer to it
     */
    record References(int depth, boolean isReferred) {}

    /**
     * A unique index that an upsert can refer to.
     *
     * @param columns its columns; none for an index that permits one row
     * @param takesNull whether NULLs are not distinct
     */
    record UniqueKey(Set<String> columns, boolean takesNull) {}

    /** Orders tables so that each comes after those that its foreign keys refer to. */
    @Override
    public int compareTo(TargetTable other) {
        return ORDER.compare(this, other);
    }

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
