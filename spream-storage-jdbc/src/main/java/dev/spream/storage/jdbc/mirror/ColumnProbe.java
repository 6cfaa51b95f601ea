package dev.spream.storage.jdbc.mirror;

import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the column whose value the server rejected, since its errors about values do not name the column: tries the
 * values one by one, without writing them.
 */
record ColumnProbe(Transactions transactions) {

    /** Returns the first column that rejects its value; empty if none does, or if that cannot be determined. */
    Optional<String> refusing(FoldedRows rows) {
        for (Map.Entry<List<@Nullable String>, FoldedRow> row : rows.rows().entrySet()) {
            for (int i = 0; i < rows.keyColumns().size(); i++) {
                String column = rows.keyColumns().get(i);
                if (refuses(rows.table(), column, row.getKey().get(i))) {
                    return Optional.of(column);
                }
            }
            SortedMap<String, @Nullable String> values = row.getValue().values();
            if (values != null) {
                for (Map.Entry<String, @Nullable String> value : values.entrySet()) {
                    if (refuses(rows.table(), value.getKey(), value.getValue())) {
                        return Optional.of(value.getKey());
                    }
                }
            }
        }
        return Optional.empty();
    }

    private boolean refuses(TargetTable table, String column, @Nullable String value) {
        String cast = "?::text::" + table.column(column).castType();
        return fails("SELECT " + cast, value)
                || fails(
                        "UPDATE %s SET %s = %s WHERE false".formatted(table.name(), TableName.quoted(column), cast),
                        value);
    }

    /** Returns whether the statement fails: an update of no row is checked while it is planned, its length included. */
    private boolean fails(String sql, @Nullable String value) {
        try {
            return transactions.run(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setString(1, value);
                    statement.execute();
                    return false;
                }
            });
        } catch (SQLException e) {
            return MirrorFailures.isAboutValue(e);
        }
    }
}
