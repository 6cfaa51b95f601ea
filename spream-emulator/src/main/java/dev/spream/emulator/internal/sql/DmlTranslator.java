package dev.spream.emulator.internal.sql;

import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.OperatorRules.Operand;
import dev.spream.emulator.internal.sql.Token.Kind;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Translates INSERT, UPDATE and DELETE, from the word after the verb on. Part of a translator. */
record DmlTranslator(SqlTranslator translator, TokenCursor cursor, SqlSchema schema, boolean postgres) {
    private static final Set<TypeCode> TIMES = Set.of(TypeCode.DATE, TypeCode.TIMESTAMP);

    Translation insert() {
        boolean replaces = cursor.acceptWords("OR", "UPDATE");
        boolean ignores = !replaces && cursor.acceptWords("OR", "IGNORE");
        cursor.acceptWords("INTO");
        String table = cursor.expectName();
        List<String> keyColumns = schema.primaryKey(table).orElseThrow(() -> tableNotFound(table));
        List<String> columns = new ArrayList<>(cursor.names());
        if (!postgres) {
            columns.stream()
                    .filter(column -> schema.isGenerated(table, column))
                    .findFirst()
                    .ifPresent(column -> {
                        throw Errors.invalidArgument("Cannot INSERT value on non-writable column: %s", column);
                    });
        }
        String source = translator.capture(() -> insertSource(table, columns));
        if (cursor.acceptWords("ON", "CONFLICT")) {
            conflictTarget(keyColumns);
            cursor.expectWords("DO");
            replaces = cursor.acceptWords("UPDATE");
            ignores = !replaces;
            if (replaces) {
                conflictUpdate(columns);
            } else {
                cursor.expectWords("NOTHING");
            }
        }
        if (replaces || ignores) {
            source = withDefaults(table, keyColumns, columns, source);
        }
        if (replaces) {
            source = withDefaults(table, schema.requiredColumns(table), columns, source);
        }
        String names = SqlTranslator.quotedList(columns);
        String key = SqlTranslator.quotedList(keyColumns);
        if (replaces) {
            if (key.isEmpty()) {
                translator.emit(
                        "MERGE INTO",
                        SqlTranslator.quoted(table),
                        "(",
                        names,
                        ",",
                        SqlTranslator.ONLY_ROW,
                        ") KEY (",
                        SqlTranslator.ONLY_ROW,
                        ")");
                translator.emit("SELECT *, TRUE FROM (", source, ")");
            } else {
                translator.emit("MERGE INTO", SqlTranslator.quoted(table), "(", names, ") KEY (", key, ")", source);
            }
        } else if (ignores) {
            translator.emit(
                    "INSERT INTO",
                    SqlTranslator.quoted(table),
                    "(",
                    names,
                    ") SELECT * FROM (",
                    source,
                    ") AS V_ (",
                    names,
                    ")");
            translator.emit("WHERE NOT EXISTS (SELECT 1 FROM", SqlTranslator.quoted(table), "AS T_ WHERE");
            String same = String.join(
                    " AND ",
                    keyColumns.stream()
                            .map(column -> "T_.%s = V_.%s"
                                    .formatted(SqlTranslator.quoted(column), SqlTranslator.quoted(column)))
                            .toList());
            translator.emit(same.isEmpty() ? "TRUE" : same, ")");
        } else {
            translator.emit("INSERT INTO", SqlTranslator.quoted(table), "(", names, ")", source);
        }
        return dml(table, Set.copyOf(columns), "FINAL");
    }

    /**
     * Adds the columns that the statement leaves out to the rows: those of the key, since rows are sought by it, and
     * those without a default value, which an existing row needs, too.
     */
    private String withDefaults(String table, List<String> needed, List<String> columns, String source) {
        List<String> missing = needed.stream()
                .filter(column -> columns.stream().noneMatch(column::equalsIgnoreCase))
                .toList();
        if (missing.stream().anyMatch(key -> schema.isGenerated(table, key))) {
            throw Errors.unimplemented(
                    "DML that inserts into table %s or else updates is not supported by this emulator, because a key column"
                            + " is generated; use a mutation",
                    table);
        }
        if (missing.isEmpty()) {
            return source;
        }
        columns.addAll(missing);
        String defaults = String.join(
                ", ",
                missing.stream()
                        .map(key -> schema.defaultValue(table, key).orElse("NULL"))
                        .toList());
        return "SELECT *, " + defaults + " FROM (" + source + ")";
    }

    private StatusRuntimeException tableNotFound(String table) {
        return postgres
                ? Errors.notFound("relation \"%s\" does not exist", table)
                : Errors.invalidArgument("Table not found: %s", table);
    }

    private void insertSource(String table, List<String> columns) {
        while (!atReturning() && !(cursor.peek().isWord("ON") && cursor.peek(1).isWord("CONFLICT"))) {
            if (cursor.atEnd()) {
                return;
            }
            if (cursor.acceptWords("VALUES")) {
                translator.emit("VALUES");
                rows(table, columns);
            } else {
                translator.translateToken();
            }
        }
    }

    private void rows(String table, List<String> columns) {
        do {
            cursor.expectSymbol("(");
            translator.emit("(");
            for (int i = 0; !cursor.acceptSymbol(")"); i++) {
                if (i > 0) {
                    cursor.expectSymbol(",");
                    translator.emit(",");
                }
                assigned(table, i < columns.size() ? columns.get(i) : "");
            }
            translator.emit(")");
        } while (cursor.acceptSymbol(",") && comma());
    }

    private boolean comma() {
        translator.emit(",");
        return true;
    }

    /** Translates an expression up to the comma or the keyword after it, as a value of a column. */
    private void assigned(String table, String column) {
        if (assignedDefault(table, column)) {
            return;
        }
        if (schema.isGenerated(table, column)) {
            throw Errors.invalidArgument("Cannot insert into column \"%s\", which is a non-writable column", column);
        }
        Optional<Type> type = schema.columnType(table, column);
        Token first = cursor.peek();
        int start = cursor.position();
        String value = translator.capture(() -> {
            while (!endsValue()) {
                translator.translateToken();
            }
        });
        boolean literal = value.equals(alone(first));
        if (!postgres && literal && type.isPresent() && !accepts(type.get(), first)) {
            throw Errors.invalidArgument(
                    "Value of type %s cannot be assigned to %s, which has type %s",
                    first.kind() == Kind.STRING ? "STRING" : first.text().contains(".") ? "FLOAT64" : "INT64",
                    column,
                    type.get().getCode());
        }
        Optional<TypeCode> assigned = translator
                .operators()
                .whole(start, cursor.position())
                .filter(each -> !each.literal() || (postgres && each.type() != TypeCode.STRING))
                .map(Operand::type);
        if (type.isPresent()
                && assigned.isPresent()
                && !(postgres
                        ? isAssignedInPostgres(assigned.get(), type.get().getCode())
                        : isAssigned(assigned.get(), type.get().getCode()))) {
            throw Errors.invalidArgument(
                    "Value of type %s cannot be assigned to %s, which has type %s",
                    assigned.get(), column, type.get().getCode());
        }
        boolean number = literal && first.kind() == Kind.NUMBER;
        boolean alone = cursor.position() == start + 1;
        boolean isText = (alone && (first.kind() == Kind.PARAMETER || first.kind() == Kind.STRING))
                || assigned.equals(Optional.of(TypeCode.STRING));
        boolean isNull = !postgres || value.equalsIgnoreCase("NULL");
        translator.emit(
                switch (isNull
                        ? TypeCode.TYPE_CODE_UNSPECIFIED
                        : type.map(Type::getCode).orElse(OperatorRules.UNKNOWN)) {
                    case JSON -> "SPANNER_JSONB(" + value + ")";
                    case STRING -> number ? first.text() : isText ? value : "SPANNER_TEXT(" + value + ")";
                    case BYTES -> "SPANNER_BYTEA(" + value + ")";
                    default -> number ? first.text() : value;
                });
    }

    private boolean assignedDefault(String table, String column) {
        if (!cursor.acceptWords("DEFAULT")) {
            return false;
        }
        if (!endsValue()) {
            throw cursor.syntaxError("Unexpected keyword DEFAULT");
        }
        translator.emit(
                schema.isGenerated(table, column)
                        ? "DEFAULT"
                        : schema.defaultValue(table, column).orElse("NULL"));
        return true;
    }

    private boolean endsValue() {
        Token next = cursor.peek();
        return next.kind() == Kind.END
                || next.isSymbol(",")
                || next.isSymbol(")")
                || next.isSymbol(";")
                || next.isWord("WHERE")
                || atReturning();
    }

    /** Returns the translation of a token that is a whole literal, or something that no translation is. */
    private String alone(Token token) {
        return switch (token.kind()) {
            case STRING -> SqlTranslator.stringLiteral(token.text());
            case NUMBER -> translator.number(token.text());
            default -> "\0";
        };
    }

    /**
     * Returns whether a literal may be assigned without a cast.
     *
     * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/conversion_rules">Spanner: conversion
     *     rules</a>
     */
    private static boolean accepts(Type column, Token literal) {
        return switch (column.getCode()) {
            case STRING, DATE, TIMESTAMP, PROTO, UUID -> literal.kind() == Kind.STRING;
            case INT64 -> literal.kind() == Kind.NUMBER && OperatorRules.number(literal, false) == TypeCode.INT64;
            case FLOAT32 -> literal.kind() == Kind.NUMBER && Double.parseDouble(literal.text()) <= Float.MAX_VALUE;
            case FLOAT64, NUMERIC -> literal.kind() == Kind.NUMBER;
            case ENUM -> true;
            default -> false;
        };
    }

    /** Returns whether a value of another type may be assigned without a cast. */
    private static boolean isAssigned(TypeCode value, TypeCode column) {
        return value == column
                || value == OperatorRules.UNKNOWN
                || Types.isOfBundle(Types.of(column))
                || switch (value) {
                    case INT64 -> OperatorRules.NUMBERS.contains(column);
                    case NUMERIC, FLOAT32 -> column == TypeCode.FLOAT64;
                    default -> false;
                };
    }

    /** Returns whether PostgreSQL casts a value of another type where it is assigned. */
    private static boolean isAssignedInPostgres(TypeCode value, TypeCode column) {
        return value == column
                || value == OperatorRules.UNKNOWN
                || column == TypeCode.STRING
                || (OperatorRules.NUMBERS.contains(value) && OperatorRules.NUMBERS.contains(column))
                || (TIMES.contains(value) && TIMES.contains(column));
    }

    /** Passes the columns after ON CONFLICT, which are those of the key. */
    private void conflictTarget(List<String> keyColumns) {
        List<String> target = cursor.peek().isSymbol("(") ? cursor.names() : List.of();
        target.stream()
                .filter(column -> keyColumns.stream().noneMatch(column::equalsIgnoreCase))
                .findFirst()
                .ifPresent(column -> {
                    throw Errors.unimplemented(
                            "Column '%s' is not a key column. Columns other than primary key columns are not supported"
                                    + " as ON CONFLICT targets",
                            column);
                });
        if (target.size() != keyColumns.size()) {
            throw Errors.invalidArgument("ON CONFLICT target must list all key columns");
        }
    }

    /** Passes the assignments of DO UPDATE: each column of the statement gets the value that would be inserted. */
    private void conflictUpdate(List<String> columns) {
        cursor.expectWords("SET");
        List<String> assigned = new ArrayList<>();
        do {
            String column = cursor.expectColumn();
            cursor.expectSymbol("=");
            assigned.add(column);
            boolean inserted = cursor.acceptWords("EXCLUDED")
                    && cursor.acceptSymbol(".")
                    && cursor.expectColumn().equalsIgnoreCase(column);
            if (!inserted
                    || !(cursor.atEnd()
                            || cursor.peek().isSymbol(",")
                            || cursor.peek().isSymbol(";")
                            || atReturning())) {
                throw Errors.unimplemented(
                        "Column '%1$s' must be set to the insert value in the statement using excluded.%1$s in the ON"
                                + " CONFLICT DO UPDATE SET clause",
                        column);
            }
        } while (cursor.acceptSymbol(","));
        columns.stream()
                .filter(column -> assigned.stream().noneMatch(column::equalsIgnoreCase))
                .findFirst()
                .ifPresent(column -> {
                    throw Errors.unimplemented(
                            "Column '%s' is not specified in the SET clause. ON CONFLICT DO UPDATE statements must include"
                                    + " all columns in the insert list",
                            column);
                });
    }

    Translation update() {
        String table = cursor.expectName();
        translator.emit("UPDATE", SqlTranslator.quoted(table));
        translator.emitAlias(table);
        while (!cursor.atEnd() && !cursor.peek().isWord("SET")) {
            translator.translateToken();
        }
        cursor.expectWords("SET");
        translator.emit("SET");
        Set<String> columns = new HashSet<>();
        do {
            String column = cursor.expectColumn();
            cursor.expectSymbol("=");
            if (!columns.isEmpty()) {
                translator.emit(",");
            }
            translator.emit(SqlTranslator.quoted(column), "=");
            columns.add(column);
            if (schema.isGenerated(table, column)) {
                throw Errors.invalidArgument(
                        postgres
                                ? "Cannot UPDATE value on non-writable column \"%s\""
                                : "Cannot UPDATE value on non-writable column: %s",
                        column);
            }
            assigned(table, column);
        } while (cursor.acceptSymbol(","));
        condition("UPDATE");
        return dml(table, columns, "FINAL");
    }

    Translation delete() {
        String table = cursor.expectName();
        translator.emit("DELETE FROM", SqlTranslator.quoted(table));
        translator.emitAlias(table);
        while (!cursor.atEnd() && !cursor.peek().isWord("WHERE") && !atReturning()) {
            translator.translateToken();
        }
        condition("DELETE");
        return dml(table, Set.of(), "OLD");
    }

    /** Translates the condition, which GoogleSQL demands. */
    private void condition(String statement) {
        if (!postgres && !cursor.peek().isWord("WHERE")) {
            throw Errors.invalidArgument("%s must have a WHERE clause", statement);
        }
        while (!cursor.atEnd() && !atReturning()) {
            translator.translateToken();
        }
    }

    private boolean atReturning() {
        return cursor.peek().isWord("RETURNING")
                || (cursor.peek().isWord("THEN") && cursor.peek(1).isWord("RETURN"));
    }

    private Translation dml(String table, Set<String> columns, String rowsReturned) {
        boolean returning = cursor.acceptWords("RETURNING") || cursor.acceptWords("THEN", "RETURN");
        if (returning) {
            String change = translator.takeOutput();
            String list = translator.capture(translator::translateList);
            translator.emit("SELECT", list, "FROM", rowsReturned, "TABLE (", change, ")");
        }
        cursor.expectEnd();
        return translator.translation(table, columns, returning);
    }
}
