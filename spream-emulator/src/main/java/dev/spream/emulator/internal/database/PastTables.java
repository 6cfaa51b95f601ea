package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static dev.spream.emulator.internal.sql.SqlTranslator.quotedList;

import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.CommitHistory.FormerRow;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.sql.Values;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables of an earlier time: temporary ones of one connection, which hide those of the present from its statements.
 * Only tables that have changed since are copied, and then all views.
 */
record PastTables(Schema schema, DatabaseDialect dialect, Statements statements) {

    /** Creates the empty tables, in a transaction of their own; statements of the connection then use them. */
    void create(Connection connection, Set<String> changed) throws SQLException {
        if (changed.isEmpty()) {
            return;
        }
        Engine.preferTemporaryTables(connection);
        for (String name : changed) {
            StoredTable table = schema.table(name);
            String columns = table.table().columns().stream()
                    .map(column -> quoted(column.name()) + " " + Types.engineType(column.type()))
                    .collect(Collectors.joining(", "));
            boolean indexed = !table.hasNullableKey() && !table.hasOneRow();
            String key = indexed ? ", PRIMARY KEY (" + quotedList(table.table().primaryKey()) + ")" : "";
            execute(connection, "CREATE LOCAL TEMPORARY TABLE %s (%s%s)".formatted(table.quotedName(), columns, key));
        }
        connection.commit();
    }

    /**
     * Fills the tables, and adds the views.
     *
     * @param connection a connection that sees the present, in a transaction of which this becomes a part
     * @param former the changed rows of each table as they were
     */
    void fill(Connection connection, Map<String, List<FormerRow>> former) throws SQLException {
        for (Map.Entry<String, List<FormerRow>> changed : former.entrySet()) {
            StoredTable table = schema.table(changed.getKey());
            execute(
                    connection,
                    "INSERT INTO %s SELECT %s FROM PUBLIC.%s"
                            .formatted(table.quotedName(), quotedList(names(table)), table.quotedName()));
            for (FormerRow row : changed.getValue()) {
                restore(connection, table, row);
            }
        }
        for (DefinedView view : former.isEmpty() ? List.<DefinedView>of() : schema.views()) {
            String query = ViewEditor.engineSql(view, schema, dialect);
            statements.inScope(() -> execute(
                    connection,
                    "CREATE LOCAL TEMPORARY TABLE %s NOT PERSISTENT TRANSACTIONAL AS %s"
                            .formatted(quoted(view.name()), query)));
        }
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }

    private static List<String> names(StoredTable table) {
        return table.table().columns().stream().map(Column::name).toList();
    }

    private static void restore(Connection connection, StoredTable table, FormerRow row) throws SQLException {
        List<@Nullable Object> key = engineValues(table.keyColumns(), row.key());
        String delete = "DELETE FROM %s WHERE %s".formatted(table.quotedName(), MutationWriter.sameKey(table, key));
        execute(connection, delete, MutationWriter.present(key));
        if (row.image().isEmpty()) {
            return;
        }
        List<Column> columns = table.table().columns();
        List<Value> values = columns.stream()
                .map(column -> row.image().getOrDefault(column.name(), Values.NULL))
                .toList();
        String marks = String.join(", ", Collections.nCopies(columns.size(), "?"));
        execute(
                connection,
                "INSERT INTO %s VALUES (%s)".formatted(table.quotedName(), marks),
                engineValues(columns, values));
    }

    private static List<@Nullable Object> engineValues(List<Column> columns, List<Value> values) {
        List<@Nullable Object> converted = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            converted.add(Values.toEngine(values.get(i), columns.get(i).type()));
        }
        return converted;
    }

    private static void execute(Connection connection, String sql, List<@Nullable Object> binds) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, sql, binds)) {
            statement.executeUpdate();
        }
    }
}
