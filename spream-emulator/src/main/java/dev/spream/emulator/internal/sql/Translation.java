package dev.spream.emulator.internal.sql;

import java.util.List;
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
 */
public record Translation(
        String sql, List<@Nullable Object> binds, String table, Set<String> writtenColumns, boolean returnsRows) {

    public boolean isDml() {
        return !table.isEmpty();
    }
}
