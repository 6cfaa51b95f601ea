package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.protobuf.Value;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Values;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the commit timestamp in place of its placeholder, on the connection of the transaction that commits. */
record CommitTimestamps(Connection connection, Schema schema) {

    /** Returns the changes with the commit timestamp, which their rows then have as well. */
    List<RowChange> write(List<RowChange> changes, Instant timestamp) throws SQLException {
        List<RowChange> written = new ArrayList<>();
        for (RowChange change : changes) {
            written.add(write(change, timestamp));
        }
        return written;
    }

    private RowChange write(RowChange change, Instant timestamp) throws SQLException {
        List<Column> pending = change.table().columns().stream()
                .filter(column -> column.type().getCode() == TypeCode.TIMESTAMP)
                .filter(column -> change.after()
                        .getOrDefault(column.name(), Values.NULL)
                        .getStringValue()
                        .equals(Values.COMMIT_TIMESTAMP_PLACEHOLDER))
                .toList();
        if (pending.isEmpty()) {
            return change;
        }
        Map<String, Value> after = new LinkedHashMap<>(change.after());
        StoredTable table = schema.table(change.table().name());
        List<@Nullable Object> key = new ArrayList<>();
        table.keyColumns()
                .forEach(column ->
                        key.add(Values.toEngine(after.getOrDefault(column.name(), Values.NULL), column.type())));
        String assignments = String.join(
                ", ",
                pending.stream().map(column -> quoted(column.name()) + " = ?").toList());
        List<@Nullable Object> binds = new ArrayList<>();
        for (Column column : pending) {
            binds.add(timestamp.atOffset(ZoneOffset.UTC));
            after.put(column.name(), Values.string(timestamp.toString()));
        }
        binds.addAll(MutationWriter.present(key));
        String sql = "UPDATE %s SET %s WHERE %s"
                .formatted(table.quotedName(), assignments, MutationWriter.sameKey(table, key));
        try (PreparedStatement statement = Statements.prepare(connection, sql, binds)) {
            statement.executeUpdate();
        }
        return new RowChange(change.table(), change.kind(), change.before(), after, change.writtenColumns());
    }
}
