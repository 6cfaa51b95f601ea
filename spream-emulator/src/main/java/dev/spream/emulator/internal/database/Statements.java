package dev.spream.emulator.internal.database;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.engine.RowCapture.RowEvent;
import dev.spream.emulator.internal.engine.UndoPoint;
import dev.spream.emulator.internal.function.StatementScope;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Translation;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.sql.Values;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.h2.api.ErrorCode;
import org.h2.jdbc.JdbcResultSet;
import org.h2.value.ValueDecfloat;
import org.h2.value.ValueToObjectConverter;
import org.jspecify.annotations.Nullable;

/**
 * Runs translated statements on a connection of the engine.
 *
 * @param schema returns the present schema
 * @param clock returns the time of a statement
 */
record Statements(DatabaseDialect dialect, Supplier<Schema> schema, Supplier<Instant> clock) {
    /** The engine's schemas with the tables of the database. */
    private static final Set<String> TABLES = Set.of("PUBLIC", Engine.TEMPORARY);

    /** The engine's names of constant conditions. */
    private static final Set<String> CONSTANTS = Set.of("TRUE", "FALSE", "UNKNOWN");

    /** The engine's types of results whose types in Spanner may be several. */
    private static final Set<String> UNSURE = Set.of("NULL", "DECFLOAT", "NUMERIC", "INTEGER", "BIGINT");

    QueryResult plan(Connection connection, Translation query) throws SQLException {
        try (PreparedStatement statement = prepare(connection, query.sql(), query.binds())) {
            ResultSetMetaData metadata = statement.getMetaData();
            StructType rowType = metadata == null ? StructType.getDefaultInstance() : rowType(metadata, query);
            return new QueryResult(rowType, List.of(), query.isDml() ? 0 : -1);
        }
    }

    QueryResult query(Connection connection, Translation query) throws SQLException {
        return inScope(() -> {
            try (PreparedStatement statement = prepare(connection, query.sql(), query.binds());
                    ResultSet rows = statement.executeQuery()) {
                StructType rowType = rowType(rows.getMetaData(), query);
                return new QueryResult(rowType, rows(rows, rowType), -1);
            }
        });
    }

    /** Runs work with the functions of the engine that need the time or a sequence. */
    <T> T inScope(StatementScope.Work<T, SQLException> work) throws SQLException {
        return StatementScope.run(clock, name -> schema.get().sequence(name), work);
    }

    /** Runs DML and adds the rows that it changed; a statement that fails changes none. */
    QueryResult dml(Connection connection, Translation dml, Schema schema, RowChanges changes) throws SQLException {
        StoredTable table = schema.table(dml.table());
        refuseKeyUpdate(table, dml);
        ForeignKeys foreignKeys = new ForeignKeys(connection, schema);
        QueryResult[] result = new QueryResult[1];
        UndoPoint before = UndoPoint.of(connection);
        try {
            List<RowEvent> events =
                    foreignKeys.cascaded(RowCapture.during(() -> result[0] = inScope(() -> run(connection, dml))));
            foreignKeys.check(events);
            changes.add(events, schema, dml.writtenColumns());
            return result[0];
        } catch (SQLException e) {
            if (e.getErrorCode() != ErrorCode.DEADLOCK_1) { // the engine has rolled back the transaction
                before.rollback();
            }
            throw ConstraintErrors.toStatus(e, table.name());
        } catch (RuntimeException e) {
            before.rollback();
            throw e;
        }
    }

    private static void refuseKeyUpdate(StoredTable table, Translation dml) {
        if (!dml.sql().startsWith("UPDATE")) {
            return;
        }
        for (String column : dml.writtenColumns()) {
            if (table.isKeyColumn(column)) {
                throw Errors.invalidArgument("Cannot modify a primary key column with UPDATE");
            }
        }
    }

    private QueryResult run(Connection connection, Translation dml) throws SQLException {
        if (dml.returnsRows()) {
            QueryResult returned = query(connection, dml);
            return new QueryResult(
                    returned.rowType(), returned.rows(), returned.rows().size());
        }
        try (PreparedStatement statement = prepare(connection, dml.sql(), dml.binds())) {
            return new QueryResult(StructType.getDefaultInstance(), List.of(), statement.executeUpdate());
        }
    }

    static PreparedStatement prepare(Connection connection, String sql, List<@Nullable Object> binds)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            return bind(statement, binds);
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    static PreparedStatement bind(PreparedStatement statement, List<@Nullable Object> binds) throws SQLException {
        for (int i = 0; i < binds.size(); i++) {
            statement.setObject(i + 1, binds.get(i));
        }
        return statement;
    }

    private StructType rowType(ResultSetMetaData metadata, Translation query) throws SQLException {
        StructType.Builder rowType = StructType.newBuilder();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            String label = metadata.getColumnLabel(i);
            String engineType = metadata.getColumnTypeName(i);
            Type stored = query.typeOf(i - 1)
                    .filter(known -> UNSURE.stream().anyMatch(engineType::startsWith))
                    .orElse(Types.fromEngine(engineType, metadata.getPrecision(i), metadata.getScale(i), dialect));
            rowType.addFields(StructType.Field.newBuilder()
                    .setName(
                            query.isItem(i - 1) && !label.equals(Translation.UNNAMED)
                                    ? label
                                    : columnName(label, dialect))
                    .setType(typeOfBundle(metadata, i).orElse(stored)));
        }
        return rowType.build();
    }

    /** Returns the type of a result column that is a table's column of a message or an enum. */
    private Optional<Type> typeOfBundle(ResultSetMetaData metadata, int column) throws SQLException {
        if (!TABLES.contains(metadata.getSchemaName(column))) {
            return Optional.empty();
        }
        String name = metadata.getColumnName(column);
        return schema.get()
                .findTable(metadata.getTableName(column))
                .flatMap(table -> table.findColumn(name))
                .map(Column::type)
                .filter(Types::isOfBundle);
    }

    /**
     * Returns the name of a result column. The engine names an expression by its text; Spanner leaves it unnamed,
     * PostgreSQL names it by its function.
     */
    static String columnName(String label, DatabaseDialect dialect) {
        if (label.matches("[\\p{L}_][\\p{L}\\p{N}_]*") && !CONSTANTS.contains(label)) {
            return label;
        }
        if (dialect != DatabaseDialect.POSTGRESQL) {
            return "";
        }
        return isCall(label) && !label.startsWith("CAST(")
                ? label.substring(0, label.indexOf('(')).toLowerCase(Locale.ROOT)
                : "?column?";
    }

    /** Returns whether a text of the engine is one call as a whole. */
    private static boolean isCall(String text) {
        int open = text.indexOf('(');
        if (!text.matches("[A-Z_]+\\(.*\\)") || open < 0) {
            return false;
        }
        int depth = 1;
        int at = open;
        while (depth > 0 && ++at < text.length()) {
            depth += text.charAt(at) == '(' ? 1 : text.charAt(at) == ')' ? -1 : 0;
        }
        return at == text.length() - 1;
    }

    private static List<ListValue> rows(ResultSet results, StructType rowType) throws SQLException {
        JdbcResultSet engineResults = results.unwrap(JdbcResultSet.class);
        List<ListValue> rows = new ArrayList<>();
        while (results.next()) {
            ListValue.Builder row = ListValue.newBuilder();
            for (int i = 0; i < rowType.getFieldsCount(); i++) {
                row.addValues(wireValue(
                        object(engineResults.getInternal(i + 1)),
                        rowType.getFields(i).getType()));
            }
            rows.add(row.build());
        }
        return rows;
    }

    @SuppressWarnings("ReferenceEquality") // the engine has one NaN
    private static @Nullable Object object(org.h2.value.Value value) {
        return value == ValueDecfloat.NAN
                ? (Object) Double.NaN
                : ValueToObjectConverter.valueToDefaultObject(value, null, false);
    }

    private static Value wireValue(@Nullable Object object, Type type) {
        Value value = Values.fromEngine(object, type);
        if (type.getCode() == TypeCode.TIMESTAMP
                && value.getStringValue().equals(Values.COMMIT_TIMESTAMP_PLACEHOLDER)) {
            throw Errors.invalidArgument("A commit timestamp cannot be read by the transaction that will write it");
        }
        return value;
    }
}
