package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.KeySet;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.engine.RowCapture.RowEvent;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.ShownKey;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.sql.Values;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Applies the mutations of one commit, in their order, on the transaction's connection. After a failure the caller must
 * roll back the connection.
 */
final class MutationWriter {
    private final Connection connection;
    private final Schema schema;
    private final RowChanges changes;
    private final Reads reads;
    private final ForeignKeys foreignKeys;
    private final List<RowEvent> events = new ArrayList<>();
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private long cells;

    private MutationWriter(Connection connection, Schema schema, RowChanges changes, Reads reads) {
        this.connection = connection;
        this.schema = schema;
        this.changes = changes;
        this.reads = reads;
        this.foreignKeys = new ForeignKeys(connection, schema);
    }

    /** Applies the mutations and returns the number of cells written, Spanner's mutation count; adds what they read. */
    static long apply(Connection connection, Schema schema, RowChanges changes, Reads reads, List<Mutation> mutations)
            throws SQLException {
        MutationWriter writer = new MutationWriter(connection, schema, changes, reads);
        try {
            for (Mutation mutation : mutations) {
                writer.apply(mutation);
            }
            writer.foreignKeys.check(writer.events);
            return writer.cells;
        } finally {
            for (PreparedStatement statement : writer.prepared.values()) {
                statement.close();
            }
        }
    }

    /** Returns the names of the tables that mutations write. */
    static Stream<String> tables(List<Mutation> mutations) {
        return mutations.stream().map(mutation -> switch (mutation.getOperationCase()) {
            case INSERT -> mutation.getInsert().getTable();
            case UPDATE -> mutation.getUpdate().getTable();
            case INSERT_OR_UPDATE -> mutation.getInsertOrUpdate().getTable();
            case REPLACE -> mutation.getReplace().getTable();
            case DELETE -> mutation.getDelete().getTable();
            default -> "";
        });
    }

    private void apply(Mutation mutation) throws SQLException {
        switch (mutation.getOperationCase()) {
            case INSERT -> write(mutation.getInsert(), this::insert, false);
            case UPDATE -> write(mutation.getUpdate(), this::update, true);
            case INSERT_OR_UPDATE -> write(mutation.getInsertOrUpdate(), this::insertOrUpdate, false);
            case REPLACE -> write(mutation.getReplace(), this::replace, false);
            case DELETE -> delete(mutation.getDelete());
            default ->
                throw Errors.unimplemented("mutations of kind %s are not supported", mutation.getOperationCase());
        }
    }

    private void write(Mutation.Write write, RowWrite how, boolean update) throws SQLException {
        StoredTable table = schema.table(write.getTable());
        List<Column> columns =
                write.getColumnsList().stream().map(table::column).toList();
        if (Set.copyOf(columns).size() != columns.size()) {
            throw Errors.invalidArgument("Multiple values for a column of table %s", table.name());
        }
        checkColumns(table, columns, update);
        for (ListValue row : write.getValuesList()) {
            if (row.getValuesCount() != columns.size()) {
                throw Errors.invalidArgument(
                        "Mutation has mismatched number of columns and values. Table: %s, columns: %d, values: %d",
                        table.name(), columns.size(), row.getValuesCount());
            }
            how.write(withKey(new Row(table, columns, row, engineValues(table, columns, row))));
            cells += columns.size();
        }
    }

    private void checkColumns(StoredTable table, List<Column> columns, boolean update) {
        for (Column column : columns) {
            if (column.generated() && !(update && table.isKeyColumn(column.name()))) {
                throw Errors.failedPrecondition(
                        "Cannot write into generated column `%s.%s`.", table.name(), column.name());
            }
        }
        for (Column key : table.keyColumns()) {
            if (columns.contains(key) || key.generated()) {
                continue;
            }
            if (table.definition(key).source().isEmpty()) {
                throw update
                        ? Errors.failedPrecondition(
                                "Cannot specify a null value for column: %s in table: %s", key.name(), table.name())
                        : missingValue(table, key);
            }
            if (update) {
                throw Errors.failedPrecondition(
                        "Implicit use of primary key default value for column `%s.%s` is not allowed in UPDATE mutations."
                                + " The column must have a specific value.",
                        table.name(), key.name());
            }
        }
    }

    /** Adds the key columns that the engine would compute, since a row is sought by its key. */
    private Row withKey(Row row) throws SQLException {
        StoredTable table = row.table();
        Row complete = row;
        for (Column key : table.keyColumns()) {
            boolean given = row.columns().contains(key);
            if (given && !key.generated()) {
                continue;
            }
            Object value = computed(complete, key);
            if (given && !Objects.equals(value, row.values().get(row.columns().indexOf(key)))) {
                throw Errors.failedPrecondition(
                        "Cannot write into generated column `%s.%s`.", table.name(), key.name());
            }
            if (!given) {
                complete = complete.with(key, value);
            }
        }
        return complete;
    }

    private @Nullable Object computed(Row row, Column key) throws SQLException {
        List<Column> given = row.columns();
        String sql = "SELECT CAST(%s AS %s) FROM (SELECT %s)"
                .formatted(
                        schema.computedValue(row.table(), key),
                        Types.engineType(key.type()),
                        given.stream()
                                .map(column -> "CAST(? AS %s) AS %s"
                                        .formatted(Types.engineType(column.type()), quoted(column.name())))
                                .collect(Collectors.joining(", ", "", given.isEmpty() ? "1" : "")));
        try (PreparedStatement statement = Statements.prepare(connection, sql, row.values());
                ResultSet computed = statement.executeQuery()) {
            computed.next();
            return computed.getObject(1);
        }
    }

    private static List<@Nullable Object> engineValues(StoredTable table, List<Column> columns, ListValue row) {
        List<@Nullable Object> values = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Value value = row.getValues(i);
            boolean placeholder = column.type().getCode() == TypeCode.TIMESTAMP
                    && value.getStringValue().equals(Values.COMMIT_TIMESTAMP_PLACEHOLDER);
            if (placeholder && !column.allowsCommitTimestamp()) {
                throw Errors.failedPrecondition(
                        "Cannot write commit timestamp because the allow_commit_timestamp column option is not set to"
                                + " true for column %s in table %s.",
                        column.name(), table.name());
            }
            Object converted = Values.toEngine(value, column.type());
            if (converted == null && column.notNull()) {
                throw ConstraintErrors.nullValue(table.name(), column.name());
            }
            values.add(converted);
        }
        return values;
    }

    /** A row to write: its columns and their values, in wire encoding and as objects of the engine. */
    private record Row(StoredTable table, List<Column> columns, ListValue wire, List<@Nullable Object> values) {
        List<@Nullable Object> key() {
            List<@Nullable Object> key = new ArrayList<>();
            table.keyColumns().forEach(column -> key.add(values.get(columns.indexOf(column))));
            return key;
        }

        String shownKey() {
            return ShownKey.of(key());
        }

        Row with(Column column, @Nullable Object value) {
            List<Column> moreColumns = new ArrayList<>(columns);
            moreColumns.add(column);
            List<@Nullable Object> moreValues = new ArrayList<>(values);
            moreValues.add(value);
            ListValue moreWire = wire.toBuilder()
                    .addValues(Values.fromEngine(value, column.type()))
                    .build();
            return new Row(table, moreColumns, moreWire, moreValues);
        }

        /** Returns the columns that the engine does not compute itself. */
        List<Column> written() {
            return columns.stream().filter(column -> !column.generated()).toList();
        }

        Set<String> columnNames() {
            return columns.stream().map(Column::name).collect(Collectors.toSet());
        }
    }

    @FunctionalInterface
    private interface RowWrite {
        void write(Row row) throws SQLException;
    }

    private static void checkComplete(Row row) {
        row.table().requiredColumns().stream()
                .filter(column -> !row.columns().contains(column))
                .findFirst()
                .ifPresent(column -> {
                    throw missingValue(row.table(), column);
                });
    }

    private static StatusRuntimeException missingValue(StoredTable table, Column column) {
        return Errors.failedPrecondition(
                "A new row in table %s does not specify a non-null value for NOT NULL column: %s",
                table.name(), column.name());
    }

    private void insert(Row row) throws SQLException {
        checkComplete(row);
        List<Column> columns = row.written();
        String names = columns.stream().map(column -> quoted(column.name())).collect(Collectors.joining(", "));
        String marks = String.join(", ", Collections.nCopies(columns.size(), "?"));
        String sql = "INSERT INTO %s (%s) VALUES (%s)".formatted(row.table().quotedName(), names, marks);
        List<@Nullable Object> values = new ArrayList<>();
        columns.forEach(column -> values.add(row.values().get(row.columns().indexOf(column))));
        try {
            execute(sql, values, row.columnNames());
        } catch (SQLException e) {
            throw explained(e, row);
        }
    }

    private RuntimeException explained(SQLException e, Row row) throws SQLException {
        if (e.getErrorCode() == ErrorCode.DUPLICATE_KEY_1 && exists(row)) {
            return Errors.alreadyExists(
                    "Table %s: Row %s already exists.", row.table().name(), row.shownKey());
        }
        return ConstraintErrors.toStatus(e, row.table().name());
    }

    private void update(Row row) throws SQLException {
        if (!updated(row)) {
            throw Errors.notFound("Table %s: Row %s not found.", row.table().name(), row.shownKey());
        }
    }

    private void insertOrUpdate(Row row) throws SQLException {
        checkComplete(row);
        if (!updated(row)) {
            insert(row);
        }
    }

    private void replace(Row row) throws SQLException {
        List<@Nullable Object> key = row.key();
        execute(
                "DELETE FROM %s WHERE %s".formatted(row.table().quotedName(), sameKey(row.table(), key)),
                present(key),
                Set.of());
        insert(row);
    }

    private boolean updated(Row row) throws SQLException {
        List<Column> set = row.columns().stream()
                .filter(column -> !row.table().isKeyColumn(column.name()))
                .toList();
        if (set.isEmpty()) {
            return exists(row);
        }
        String assignments =
                set.stream().map(column -> quoted(column.name()) + " = ?").collect(Collectors.joining(", "));
        List<@Nullable Object> binds = new ArrayList<>();
        set.forEach(column -> binds.add(row.values().get(row.columns().indexOf(column))));
        binds.addAll(present(row.key()));
        String sql = "UPDATE %s SET %s WHERE %s"
                .formatted(row.table().quotedName(), assignments, sameKey(row.table(), row.key()));
        try {
            return execute(sql, binds, row.columnNames()) > 0;
        } catch (SQLException e) {
            throw ConstraintErrors.toStatus(e, row.table().name());
        }
    }

    private boolean exists(Row row) throws SQLException {
        String sql = "SELECT 1 FROM %s WHERE %s".formatted(row.table().quotedName(), sameKey(row.table(), row.key()));
        try (PreparedStatement statement = Statements.prepare(connection, sql, present(row.key()));
                ResultSet found = statement.executeQuery()) {
            return found.next();
        }
    }

    static String sameKey(StoredTable table, List<@Nullable Object> key) {
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            String name = quoted(table.table().primaryKey().get(i));
            conditions.add(key.get(i) == null ? name + " IS NULL" : name + " = ?");
        }
        return conditions.isEmpty() ? "TRUE" : String.join(" AND ", conditions);
    }

    static List<@Nullable Object> present(List<@Nullable Object> key) {
        List<@Nullable Object> present = new ArrayList<>(key);
        present.removeIf(Objects::isNull);
        return present;
    }

    private void delete(Mutation.Delete delete) throws SQLException {
        StoredTable table = schema.table(delete.getTable());
        KeySet keys = delete.getKeySet();
        reads.add(table, keys);
        KeyPredicate predicate = new KeyPredicate(table.parts(table.definition().primaryKey()), keys);
        String sql = "DELETE FROM %s WHERE %s".formatted(table.quotedName(), predicate.sql());
        try {
            execute(sql, predicate.binds(), Set.of());
        } catch (SQLException e) {
            throw ConstraintErrors.toStatus(e, table.name());
        }
        cells++;
    }

    private int execute(String sql, List<@Nullable Object> binds, Set<String> written) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        PreparedStatement ready = Statements.bind(statement, binds);
        int[] count = new int[1];
        List<RowEvent> changed = foreignKeys.cascaded(RowCapture.during(() -> count[0] = ready.executeUpdate()));
        changes.add(changed, schema, written);
        events.addAll(changed);
        return count[0];
    }
}
