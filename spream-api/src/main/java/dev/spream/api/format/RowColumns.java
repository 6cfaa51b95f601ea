package dev.spream.api.format;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a change in the order of the table, prepared for writing rows as JSON objects. Immutable.
 *
 * @param all the columns of the change, primary key included
 * @param keys the columns of the primary key
 */
record RowColumns(List<TypedColumn> all, List<TypedColumn> keys) {

    static RowColumns of(List<ColumnType> types) {
        List<TypedColumn> all = types.stream()
                .sorted(Comparator.comparingLong(ColumnType::ordinalPosition))
                .map(TypedColumn::of)
                .toList();
        return new RowColumns(all, all.stream().filter(TypedColumn::isKey).toList());
    }

    /** Appends the primary key. */
    void appendKey(StringBuilder out, Mod mod) {
        append(out, keys, mod.keys(), JsonObject.EMPTY, column -> true);
        out.append('}');
    }

    /** Appends the key and the values of all columns; a column without a value is null. */
    void appendWhole(StringBuilder out, Mod mod, JsonObject values) {
        append(out, all, mod.keys(), values, column -> true);
        out.append('}');
    }

    /** Appends the key and the values that there are, without the closing brace. */
    void appendPresent(StringBuilder out, Mod mod, JsonObject values) {
        append(out, all, mod.keys(), values, column -> column.isKey() || values.has(column.name()));
    }

    private static void append(
            StringBuilder out,
            List<TypedColumn> columns,
            JsonObject keys,
            JsonObject values,
            Predicate<TypedColumn> chosen) {
        out.append('{');
        String separator = "";
        for (TypedColumn column : columns) {
            if (chosen.test(column)) {
                out.append(separator).append(column.label());
                column.append(out, column.isKey() ? keys.get(column.name()) : values.get(column.name()));
                separator = ",";
            }
        }
    }

    /** Returns whether a column of the row's primary key is NULL. */
    boolean hasNullInKey(Mod mod) {
        for (TypedColumn column : keys) {
            if (mod.keys().get(column.name()) == null) {
                return true;
            }
        }
        return false;
    }

    /**
     * The columns of the changes seen. An UPDATE has the columns that it modified, so that a table has as many lists of
     * columns as there are combinations. Safe for use by many threads.
     */
    static final class Cache {
        private static final int MAX_SIZE = 1_000;

        private final Map<List<ColumnType>, RowColumns> known = new ConcurrentHashMap<>();

        RowColumns of(DataChangeRecord change) {
            @Nullable RowColumns columns = known.get(change.columnTypes());
            if (columns == null) {
                columns = RowColumns.of(change.columnTypes());
                if (known.size() >= MAX_SIZE) {
                    known.clear();
                }
                known.put(change.columnTypes(), columns);
            }
            return columns;
        }
    }
}
