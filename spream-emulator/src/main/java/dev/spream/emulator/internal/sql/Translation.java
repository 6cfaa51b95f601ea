package dev.spream.emulator.internal.sql;

import com.google.spanner.v1.Type;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A statement in the engine's SQL.
 *
 * @param sql with parameters as ?1, ?2 and so on
 * @param binds the engine's objects, in order
 * @param table the table that DML writes, or empty for a query
 * @param writtenColumns the columns that DML names as written; empty for all
 * @param returnsRows whether it is a query or DML with a returning clause
 * @param types the types of the result's first columns, as far as they are known, for those that the engine has none of
 */
public record Translation(
        String sql,
        List<@Nullable Object> binds,
        String table,
        Set<String> writtenColumns,
        boolean returnsRows,
        List<Optional<Type>> types) {

    /** The engine's name of a result column that has none; in GoogleSQL such a column is unnamed. */
    public static final String UNNAMED = "?column?";

    /** Returns a query of the engine's own. */
    public static Translation query(String sql, List<@Nullable Object> binds) {
        return new Translation(sql, binds, "", Set.of(), true, List.of());
    }

    /** Returns the type of a column of the result, if it is known. */
    public Optional<Type> typeOf(int column) {
        return column < types.size() ? types.get(column) : Optional.empty();
    }

    /** Returns whether a column of the result is a select item, whose name the engine has from the query. */
    public boolean isItem(int column) {
        return column < types.size();
    }

    public boolean isDml() {
        return !table.isEmpty();
    }
}
