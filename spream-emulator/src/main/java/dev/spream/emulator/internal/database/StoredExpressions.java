package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.sql.DdlStatement.CheckConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Types;
import io.grpc.StatusRuntimeException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The expressions that a schema stores, checked and in the engine's SQL. */
record StoredExpressions(Engine engine, DatabaseDialect dialect) {

    /** Returns the declaration of a column of a table that the schema has already. */
    String column(StoredTable table, ColumnDef column, Schema schema) {
        return "%s %s%s%s"
                .formatted(
                        quoted(column.name()),
                        engineType(column.type()),
                        source(table, column, schema),
                        column.notNull() ? " NOT NULL" : "");
    }

    static String engineType(Types.Declared declared) {
        Type type = declared.type();
        boolean sized =
                declared.maxLength() > 0 && (type.getCode() == TypeCode.STRING || type.getCode() == TypeCode.BYTES);
        return Types.engineType(type) + (sized ? "(" + declared.maxLength() + ")" : "");
    }

    private String source(StoredTable table, ColumnDef column, Schema schema) {
        return column.source()
                .map(source -> switch (source) {
                    case DefaultValue value -> " DEFAULT (" + defaultValue(table, column, value, schema) + ")";
                    case GeneratedColumn ignored -> " GENERATED ALWAYS AS (" + generated(table, column, schema) + ")";
                    case IdentityColumn ignored -> " DEFAULT " + identityValue(table, column, schema);
                })
                .orElse("");
    }

    private String defaultValue(StoredTable table, ColumnDef column, DefaultValue value, Schema schema) {
        String where = "Error parsing the default value of column `%s`.`%s`".formatted(table.name(), column.name());
        if (SqlNames.namesIn(value.expression(), dialect).contains("select")) {
            throw Errors.invalidArgument("%s: Cannot use non-scalar expressions inside column default.", where);
        }
        return checked(where, value.expression(), "", column.type().type(), false, schema);
    }

    private static String identityValue(StoredTable table, ColumnDef column, Schema schema) {
        if (column.type().type().getCode() != TypeCode.INT64) {
            throw Errors.invalidArgument(
                    "Identity column `%s`.`%s` must be of type INT64.", table.name(), column.name());
        }
        return schema.defaultValue(table.name(), column.name()).orElseThrow();
    }

    private String generated(StoredTable table, ColumnDef column, Schema schema) {
        String expression = table.generatedExpression(column, dialect);
        String where =
                "Error parsing the definition of generated column `%s`.`%s`".formatted(table.name(), column.name());
        return checked(where, expression, row(table), column.type().type(), true, schema);
    }

    /** Returns a check constraint as a constraint of the engine. */
    String check(StoredTable table, CheckConstraint check, Schema schema) {
        String where = "Error parsing expression '%s' from check constraint '%s' in table '%s'"
                .formatted(check.expression(), check.isNamed() ? check.name() : "<unnamed>", table.name());
        String sql = checked(where, check.expression(), row(table), Types.BOOL, true, schema);
        String key = table.table().primaryKey().stream()
                .map(column -> ", " + quoted(column))
                .collect(Collectors.joining());
        return "CONSTRAINT %s CHECK (SPANNER_CHECK((%s), %s, %s%s))"
                .formatted(
                        quoted(check.name()),
                        sql,
                        SqlTranslator.stringLiteral(table.name()),
                        SqlTranslator.stringLiteral(check.name()),
                        key);
    }

    /** Returns a FROM clause with one row of a table. */
    private static String row(StoredTable table) {
        return table.definition().columns().stream()
                .map(column -> "CAST(NULL AS %s) AS %s".formatted(engineType(column.type()), quoted(column.name())))
                .collect(Collectors.joining(", ", " FROM (SELECT ", ")"));
    }

    private String checked(
            String where, String expression, String from, Type type, boolean deterministic, Schema schema) {
        try {
            String sql = SqlTranslator.expression(expression, dialect, schema, deterministic);
            Type found = typeOf(sql, from);
            if (!expression.equalsIgnoreCase("NULL") && !fits(found, type)) {
                throw Errors.invalidArgument(
                        "Expected type %s; found %s",
                        type.getCode().name(), found.getCode().name());
            }
            return sql;
        } catch (StatusRuntimeException e) {
            throw e.getStatus()
                    .withDescription(where + ": " + e.getStatus().getDescription())
                    .asRuntimeException();
        }
    }

    private Type typeOf(String sql, String from) {
        try (PreparedStatement query = engine.administrator().prepareStatement("SELECT (" + sql + ")" + from)) {
            var metadata = query.getMetaData();
            return Types.fromEngine(
                    metadata.getColumnTypeName(1), metadata.getPrecision(1), metadata.getScale(1), dialect);
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    /** Returns whether a value may be assigned without a cast. */
    private static boolean fits(Type found, Type type) {
        if (found.getCode() == type.getCode()) {
            return found.getCode() != TypeCode.ARRAY || fits(found.getArrayElementType(), type.getArrayElementType());
        }
        return switch (type.getCode()) {
            case FLOAT32, FLOAT64, NUMERIC ->
                Set.of(TypeCode.INT64, TypeCode.FLOAT64, TypeCode.NUMERIC).contains(found.getCode());
            case DATE, TIMESTAMP, UUID -> found.getCode() == TypeCode.STRING;
            case ENUM -> found.getCode() == TypeCode.INT64;
            case PROTO -> found.getCode() == TypeCode.BYTES;
            default -> false;
        };
    }

    /** Returns the generated columns of a table that use a column. */
    List<String> generatedFrom(StoredTable table, String column) {
        List<String> dependent = new ArrayList<>();
        for (ColumnDef other : table.definition().columns()) {
            other.source()
                    .filter(GeneratedColumn.class::isInstance)
                    .map(GeneratedColumn.class::cast)
                    .filter(generated -> uses(generated.expression(), column))
                    .ifPresent(generated -> dependent.add(other.name()));
        }
        return dependent;
    }

    boolean uses(String expression, String name) {
        return SqlNames.namesIn(expression, dialect).contains(name.toLowerCase(Locale.ROOT));
    }
}
