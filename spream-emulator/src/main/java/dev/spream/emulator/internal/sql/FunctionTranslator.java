package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Token.Kind;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The functions and casts of a statement. A call that is not in the {@link FunctionCatalog} and has no form in here does
 * not exist: the functions that only the embedded engine has are out of reach. Part of a translator.
 */
record FunctionTranslator(
        SqlTranslator translator,
        TokenCursor cursor,
        DatabaseDialect dialect,
        SqlSchema schema,
        Optional<CurrentTime> now,
        FunctionCatalog catalog,
        LiteralTranslator literals) {
    private static final String PENDING = "TIMESTAMP WITH TIME ZONE '99999-01-01 00:00:00+00'";

    /** The keywords that are functions before a parenthesis. */
    private static final Set<String> CALLED_KEYWORDS = Set.of("CAST", "IF", "INSERT", "LEFT", "RIGHT", "UNNEST");

    private static final Set<String> DATE_UNITS = Set.of("DAY", "WEEK", "MONTH", "QUARTER", "YEAR");
    private static final Set<String> TIMESTAMP_UNITS =
            Set.of("NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY");

    /** The parts that PostgreSQL extracts as whole numbers, as GoogleSQL does. */
    private static final Set<String> WHOLE_PARTS = Set.of("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE");

    static final Set<String> AFTER_TABLE = Set.of("""
            SET THEN RETURNING WHERE ORDER GROUP LIMIT JOIN INNER LEFT RIGHT FULL CROSS ON UNION HAVING WITH USING EXCEPT \
            INTERSECT OFFSET""".split(" "));

    static FunctionTranslator of(
            SqlTranslator translator,
            TokenCursor cursor,
            DatabaseDialect dialect,
            SqlSchema schema,
            Optional<CurrentTime> now) {
        return new FunctionTranslator(
                translator,
                cursor,
                dialect,
                schema,
                now,
                FunctionCatalog.of(dialect),
                new LiteralTranslator(translator, cursor, dialect));
    }

    /** Translates the construct at the cursor, if it is written differently in the engine; returns whether it did. */
    boolean translate() {
        if (cursor.acceptWords("NOT", "IN", "UNNEST")) {
            translator.emit("<> ALL (", elements(), ")");
            return true;
        }
        if (cursor.acceptWords("IN", "UNNEST")) {
            translator.emit("= ANY (", elements(), ")");
            return true;
        }
        boolean quantified = cursor.peek().isWord("ANY")
                || cursor.peek().isWord("ALL")
                || cursor.peek().isWord("SOME");
        if (isPostgres()
                && quantified
                && cursor.peek(1).isSymbol("(")
                && !cursor.peek(2).isWord("SELECT")) {
            translator.emit(cursor.next().text(), "(", elements(), ")");
            return true;
        }
        if (cursor.peek().isWord("CURRENT_TIMESTAMP") || cursor.peek().isWord("CURRENT_DATE")) {
            currentTime();
            return true;
        }
        int last = calledName();
        if (last < 0) {
            return literals.translate();
        }
        Token first = cursor.peek();
        boolean average = translator.operators().averageExactlyAt(cursor.position());
        TypeCode type = translator.operators().callTypeAt(cursor.position());
        StringBuilder name = new StringBuilder();
        for (int i = 0; i <= last; i++) {
            name.append(cursor.next().text());
        }
        if (average) {
            String values = String.join(", ", arguments());
            translator.emit("SPANNER_QUOTIENT(SUM(%1$s), COUNT(%1$s))".formatted(values));
        } else {
            call(name.toString(), first, type);
        }
        return true;
    }

    /** Translates the array of {@code IN UNNEST} or {@code ANY}, where NULL has no elements. */
    private String elements() {
        return "COALESCE(" + arguments().getFirst() + ", ARRAY[])";
    }

    /** Returns how many tokens after the cursor the last part of a function's name is, or -1 if there is no call. */
    int calledName() {
        int last = 0;
        while (cursor.peek(last).isName() && cursor.peek(last + 1).isSymbol(".")) {
            last += 2;
        }
        Token name = cursor.peek(last);
        boolean called = name.isName() && cursor.peek(last + 1).isSymbol("(");
        boolean keyword = name.kind() == Kind.WORD
                && SqlTranslator.KEYWORDS.contains(name.upper())
                && !CALLED_KEYWORDS.contains(name.upper());
        return called && !keyword && !translator.isAlias(name) ? last : -1;
    }

    private void currentTime() {
        String name = cursor.next().upper();
        if (cursor.peek().isSymbol("(") && !arguments().isEmpty()) {
            throw Errors.unimplemented("The emulator does not support arguments of the function %s", name);
        }
        CurrentTime time = now(name);
        translator.emit(name.equals("CURRENT_DATE") ? time.date() : time.timestamp(translator));
    }

    private void call(String spelled, Token first, TypeCode type) {
        String lower = spelled.toLowerCase(Locale.ROOT);
        String name = isPostgres() ? lower.replaceFirst("^pg_catalog\\.", "") : lower;
        if (special(name)) {
            return;
        }
        if (catalog.unsupported().contains(name) || (!isPostgres() && name.startsWith("safe."))) {
            throw Errors.unimplemented("The emulator does not support the function %s", spelled);
        }
        if (!catalog.has(name)) {
            throw isPostgres()
                    ? Errors.notFound("[ERROR] function %s(...) does not exist", spelled)
                    : at(first, "Function not found: " + spelled);
        }
        List<String> arguments = arguments();
        translator.emit(catalog.call(name, arguments, type)
                .orElseThrow(() -> isPostgres()
                        ? Errors.notFound(
                                "[ERROR] function %s with %d arguments does not exist", spelled, arguments.size())
                        : at(
                                first,
                                "No matching signature for function %s with %d arguments"
                                        .formatted(spelled.toUpperCase(Locale.ROOT), arguments.size()))));
    }

    private StatusRuntimeException at(Token place, String message) {
        return Errors.invalidArgument("%s [at %d:%d]", message, cursor.line(place), cursor.column(place));
    }

    private boolean isPostgres() {
        return dialect == DatabaseDialect.POSTGRESQL;
    }

    /** Translates a call that is more than its arguments; returns whether it did. */
    private boolean special(String name) {
        switch (name) {
            case "cast" -> cast(false);
            case "extract" -> extract();
            case "unnest" -> unnest();
            case "concat" -> concat();
            default -> {
                return isPostgres() ? specialOfPostgres(name) : specialOfGoogle(name);
            }
        }
        return true;
    }

    private boolean specialOfPostgres(String name) {
        switch (name) {
            case "now" -> emitWithoutArguments(now(name).timestamp(translator));
            case "spanner.pending_commit_timestamp" -> pendingTimestamp();
            case "nextval" -> sequence(name, "SPANNER_NEXT_VALUE");
            case "spanner.get_internal_sequence_state" -> sequence(name, "SPANNER_SEQUENCE_STATE");
            case "spanner.generate_uuid" -> uuid(name);
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean specialOfGoogle(String name) {
        switch (name) {
            case "pending_commit_timestamp" -> pendingTimestamp();
            case "get_next_sequence_value" -> sequence(name, "SPANNER_NEXT_VALUE");
            case "get_internal_sequence_state" -> sequence(name, "SPANNER_SEQUENCE_STATE");
            case "generate_uuid" -> uuid(name);
            case "safe_cast" -> cast(true);
            case "array_agg" -> arrayAggregate();
            case "date_add" -> shift("DATE", DATE_UNITS, "");
            case "date_sub" -> shift("DATE", DATE_UNITS, "-");
            case "timestamp_add" -> shift("TIMESTAMP", TIMESTAMP_UNITS, "");
            case "timestamp_sub" -> shift("TIMESTAMP", TIMESTAMP_UNITS, "-");
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Translates a concatenation, which is NULL if one of its parts is. */
    private void concat() {
        List<String> parts = arguments();
        if (isPostgres() && parts.stream().anyMatch("NULL"::equalsIgnoreCase)) {
            throw Errors.invalidArgument("Unable to resolve argument type. Please consider adding an explicit cast");
        }
        translator.emit("CASE WHEN SPANNER_ACCEPTS('CONCAT', '%s', %s) THEN %s END"
                .formatted(
                        isPostgres() ? "STRING" : "STRING BYTES",
                        String.join(", ", parts),
                        String.join(" || ", parts)));
    }

    /** Translates an array of values, which may leave out those that are NULL. */
    private void arrayAggregate() {
        cursor.expectSymbol("(");
        String distinct = cursor.acceptWords("DISTINCT") ? "DISTINCT " : "";
        String value = translator.capture(() -> {
            while (!cursor.peek().isSymbol(")") && !cursor.peek().isWord("ORDER") && !atTreatmentOfNulls()) {
                translator.translateToken();
            }
        });
        boolean ignores = cursor.acceptWords("IGNORE", "NULLS");
        if (!ignores) {
            cursor.acceptWords("RESPECT", "NULLS");
        }
        String order = translator.capture(() -> translator.translateUntil(")"));
        translator.emit("ARRAY_AGG(", distinct + value, order, ")");
        if (ignores) {
            translator.emit("FILTER (WHERE", value, "IS NOT NULL)");
        }
    }

    private boolean atTreatmentOfNulls() {
        boolean treatment = cursor.peek().isWord("IGNORE") || cursor.peek().isWord("RESPECT");
        return treatment && cursor.peek(1).isWord("NULLS");
    }

    private void emitWithoutArguments(String expression) {
        arguments();
        translator.emit(expression);
    }

    private void uuid(String name) {
        now(name);
        emitWithoutArguments("CAST(RANDOM_UUID() AS VARCHAR)");
    }

    /** Translates {@code (value, INTERVAL amount unit)}. */
    private void shift(String type, Set<String> units, String sign) {
        cursor.expectSymbol("(");
        String value = translator.capture(this::argument);
        cursor.expectSymbol(",");
        if (!cursor.acceptWords("INTERVAL")) {
            throw at(cursor.peek(), "Expected INTERVAL expression");
        }
        String amount = translator.capture(literals::amount);
        Token unit = cursor.next();
        if (!units.contains(unit.upper())) {
            throw at(unit, "%s_ADD does not support the %s date part".formatted(type, unit.upper()));
        }
        cursor.expectSymbol(")");
        translator.emit("SPANNER_%s_ADD(%s, %s(%s), '%s')".formatted(type, value, sign, amount, unit.upper()));
    }

    /** Returns the current time, where an expression may depend on it. */
    private CurrentTime now(String function) {
        return now.orElseThrow(() -> Errors.invalidArgument(
                "Expression is non-deterministic due to the use of non-determinstic function `%s`. It must yield the"
                        + " same value for the same column values.",
                function));
    }

    private void pendingTimestamp() {
        if (now.filter(CurrentTime.AT_EVALUATION::equals).isPresent()) {
            throw Errors.invalidArgument(
                    "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value for INSERT or"
                            + " UPDATE of an appropriately typed column. It cannot be used in SELECT, or as the input to any"
                            + " other scalar expression.");
        }
        now("PENDING_COMMIT_TIMESTAMP");
        emitWithoutArguments(PENDING);
    }

    private void sequence(String function, String engineFunction) {
        cursor.expectSymbol("(");
        if (dialect != DatabaseDialect.POSTGRESQL) {
            cursor.expectWords("SEQUENCE");
        }
        String name = dialect == DatabaseDialect.POSTGRESQL
                ? cursor.next().text().replaceFirst("^public\\.", "")
                : cursor.expectName();
        if (cursor.acceptSymbol("::")) {
            cursor.next();
        }
        cursor.expectSymbol(")");
        if (!schema.isSequence(name)) {
            throw dialect == DatabaseDialect.POSTGRESQL
                    ? Errors.notFound("Sequence not found: %s", name)
                    : Errors.invalidArgument("Sequence not found: %s", name);
        }
        now(function);
        translator.emit(engineFunction + "(" + SqlTranslator.stringLiteral(name) + ")");
    }

    private void cast(boolean safe) {
        cursor.expectSymbol("(");
        String expression = translator.capture(() -> {
            while (!cursor.peek().isWord("AS")) {
                translator.translateToken();
            }
        });
        cursor.expectWords("AS");
        Types.Declared type = Types.parse(cursor, dialect);
        cursor.expectSymbol(")");
        if (!isPostgres() && type.maxLength() > 0) {
            throw Errors.invalidArgument("CAST to type with parameters is not supported: %s", type.declared());
        }
        translator.emit(safe ? safeCast(expression, type.type()) : cast(expression, type));
    }

    private String safeCast(String expression, Type type) {
        return switch (type.getCode()) {
            case BOOL, INT64, STRING -> engineCast("SPANNER_SAFE_" + type.getCode() + "(" + expression + ")", type);
            default -> throw Errors.unimplemented("The emulator does not support SAFE_CAST to %s", type.getCode());
        };
    }

    /** Returns a translated expression as a value of a type; PostgreSQL cuts a text that is longer. */
    String cast(String expression, Types.Declared declared) {
        Type type = declared.type();
        return switch (type.getCode()) {
            case STRING -> {
                String text = "SPANNER_TEXT(" + expression + ")";
                boolean cut = isPostgres() && declared.maxLength() > 0;
                yield engineCast(cut ? "SPANNER_LEFT(" + text + ", " + declared.maxLength() + ")" : text, type);
            }
            case JSON -> "SPANNER_JSONB(" + expression + ")";
            case BYTES -> engineCast(isPostgres() ? "SPANNER_BYTEA(" + expression + ")" : expression, type);
            case INT64 -> engineCast((isPostgres() ? "SPANNER_BIGINT(" : "SPANNER_INT64(") + expression + ")", type);
            case BOOL -> engineCast(isPostgres() ? expression : "SPANNER_BOOL(" + expression + ")", type);
            case FLOAT32, FLOAT64 -> engineCast("SPANNER_FLOAT64(" + expression + ")", type);
            default -> engineCast(expression, type);
        };
    }

    private static String engineCast(String expression, Type type) {
        return "CAST( " + expression + " AS " + Types.engineType(type) + " )";
    }

    private void extract() {
        cursor.expectSymbol("(");
        String part = cursor.next().upper();
        cursor.expectWords("FROM");
        String value = translator.capture(() -> {
            while (!cursor.peek().isSymbol(")") && !cursor.peek().isWord("AT")) {
                translator.translateToken();
            }
        });
        String zone = "NULL";
        if (cursor.acceptWords("AT", "TIME", "ZONE")) {
            zone = translator.capture(this::argument);
        }
        cursor.expectSymbol(")");
        String extracted = "SPANNER_EXTRACT(%s, %s, %s)".formatted(SqlTranslator.stringLiteral(part), value, zone);
        if (!isPostgres()) {
            translator.emit(extracted);
            return;
        }
        if (!WHOLE_PARTS.contains(part)) {
            throw Errors.unimplemented("The emulator does not support extract of %s", part.toLowerCase(Locale.ROOT));
        }
        translator.emit("CAST(" + extracted + " AS " + Types.engineType(Types.PG_NUMERIC) + ")");
    }

    /** Translates {@code UNNEST(array) AS x}: in Spanner x is the element, in the engine a table needs a column. */
    private void unnest() {
        translator.emit("UNNEST (", arguments().getFirst(), ")");
        boolean as = cursor.acceptWords("AS");
        Token alias = cursor.peek();
        if (as || (alias.isName() && !AFTER_TABLE.contains(alias.upper()))) {
            String name = SqlTranslator.quoted(cursor.expectName());
            translator.emit("AS", name, "(", name, ")");
        }
    }

    /** Consumes the parenthesised arguments and translates each. */
    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        cursor.expectSymbol("(");
        while (!cursor.acceptSymbol(")")) {
            arguments.add(translator.capture(this::argument));
            cursor.acceptSymbol(",");
        }
        return arguments;
    }

    private void argument() {
        while (!cursor.peek().isSymbol(",") && !cursor.peek().isSymbol(")")) {
            if (atTreatmentOfNulls()) {
                throw at(cursor.peek(), "IGNORE NULLS and RESPECT NULLS are allowed for ARRAY_AGG only");
            }
            translator.translateToken();
        }
    }
}
