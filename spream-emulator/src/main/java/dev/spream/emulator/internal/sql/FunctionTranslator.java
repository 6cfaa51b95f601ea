package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.MissingFormatArgumentException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The functions, casts and typed literals that are written differently in the embedded engine. Part of a translator.
 */
record FunctionTranslator(
        SqlTranslator translator,
        TokenCursor cursor,
        DatabaseDialect dialect,
        SqlSchema schema,
        Optional<CurrentTime> now) {
    private static final String PENDING = "TIMESTAMP WITH TIME ZONE '99999-01-01 00:00:00+00'";

    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .optionalStart()
            .appendPattern("['T'][' ']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalEnd()
            .optionalStart()
            .appendPattern("[ ]")
            .appendOffset("+HH:mm", "Z")
            .optionalEnd()
            .optionalStart()
            .appendOffset("+HH", "Z")
            .optionalEnd()
            .toFormatter(Locale.ROOT);

    /** The types to which GoogleSQL casts by rules of its own. */
    private static final Set<TypeCode> OWN_CASTS = Set.of(TypeCode.BOOL, TypeCode.INT64);

    static final Set<String> AFTER_TABLE = Set.of("""
            SET THEN RETURNING WHERE ORDER GROUP LIMIT JOIN INNER LEFT RIGHT FULL CROSS ON UNION HAVING WITH USING EXCEPT \
            INTERSECT OFFSET""".split(" "));

    /** Translates the construct at the cursor, if it is written differently in the engine; returns whether it did. */
    boolean translate() {
        if (cursor.acceptWords("NOT", "IN", "UNNEST")) {
            translator.emit("<> ALL (", arguments().getFirst(), ")");
            return true;
        }
        if (cursor.acceptWords("IN", "UNNEST")) {
            translator.emit("= ANY (", arguments().getFirst(), ")");
            return true;
        }
        if (cursor.peek().isWord("spanner") && cursor.peek(1).isSymbol(".")) {
            cursor.next();
            cursor.next();
        }
        return cursor.peek(1).isSymbol("(") ? call() : literal();
    }

    private boolean literal() {
        Token word = cursor.peek();
        if (word.isWord("CURRENT_TIMESTAMP")) {
            cursor.next();
            translator.emit(now("CURRENT_TIMESTAMP").timestamp());
            return true;
        }
        if (word.isWord("ARRAY") && cursor.peek(1).isSymbol("<")) {
            String type = Types.engineType(Types.parse(cursor, dialect).type());
            cursor.expectSymbol("[");
            translator.emit(
                    "CAST( ARRAY [", translator.capture(() -> translator.translateUntil("]")), "] AS " + type + ")");
            return true;
        }
        if (word.isWord("ARRAY") && cursor.peek(1).isSymbol("[")) {
            cursor.next();
            cursor.next();
            translator.emit("ARRAY [", translator.capture(() -> translator.translateUntil("]")), "]");
            return true;
        }
        if (word.isWord("INTERVAL") && cursor.peek(1).kind() != Kind.STRING) {
            cursor.next();
            String amount = translator.capture(translator::translateToken);
            translator.emit(
                    "( (", amount, ") * INTERVAL '1'", interval(cursor.next().upper()), ")");
            return true;
        }
        return cursor.peek(1).kind() == Kind.STRING && typedLiteral(word);
    }

    private static String interval(String unit) {
        return switch (unit) {
            case "MILLISECOND" -> "SECOND * 1E-3";
            case "MICROSECOND" -> "SECOND * 1E-6";
            case "NANOSECOND" -> "SECOND * 1E-9";
            default -> unit;
        };
    }

    private boolean typedLiteral(Token type) {
        String text = cursor.peek(1).text();
        String translated =
                switch (type.upper()) {
                    case "TIMESTAMP", "TIMESTAMPTZ" -> timestamp(parseTimestamp(text));
                    case "NUMERIC" ->
                        "CAST(%s AS %s)"
                                .formatted(
                                        SqlTranslator.stringLiteral(text),
                                        Types.engineType(
                                                dialect == DatabaseDialect.POSTGRESQL
                                                        ? Types.PG_NUMERIC
                                                        : Types.NUMERIC));
                    case "JSON", "JSONB" ->
                        "JSON "
                                + SqlTranslator.stringLiteral(
                                        NormalJson.of(text, dialect == DatabaseDialect.POSTGRESQL));
                    case "DATE" -> "DATE " + SqlTranslator.stringLiteral(text);
                    default -> "";
                };
        if (translated.isEmpty()) {
            return false;
        }
        cursor.next();
        cursor.next();
        translator.emit(translated);
        return true;
    }

    private static Instant parseTimestamp(String text) {
        try {
            TemporalAccessor parsed = TIMESTAMP.parse(text.strip());
            boolean hasTime = parsed.isSupported(ChronoField.NANO_OF_DAY);
            LocalDateTime local = hasTime
                    ? LocalDateTime.from(parsed)
                    : LocalDate.from(parsed).atStartOfDay();
            boolean hasOffset = parsed.isSupported(ChronoField.OFFSET_SECONDS);
            return local.atZone(hasOffset ? ZoneOffset.from(parsed) : Values.DEFAULT_ZONE)
                    .toInstant();
        } catch (DateTimeParseException e) {
            throw Errors.invalidArgument("Invalid TIMESTAMP literal: %s", text);
        }
    }

    static String timestamp(Instant instant) {
        String text = instant.toString();
        return "TIMESTAMP WITH TIME ZONE '" + text.substring(0, text.length() - 1) + "+00'";
    }

    /**
     * Translates the call at the cursor, if the function has another name or meaning in the engine; returns whether it
     * did.
     */
    private boolean call() {
        String name = cursor.peek().upper();
        switch (name) {
            case "CURRENT_TIMESTAMP", "NOW" -> emitCall(arguments -> now(name).timestamp());
            case "PENDING_COMMIT_TIMESTAMP" -> pendingTimestamp();
            case "CURRENT_DATE" -> emitCall(arguments -> now(name).date());
            case "GET_NEXT_SEQUENCE_VALUE", "NEXTVAL" -> sequence(name, "SPANNER_NEXT_VALUE");
            case "GET_INTERNAL_SEQUENCE_STATE" -> sequence(name, "SPANNER_SEQUENCE_STATE");
            case "CAST", "SAFE_CAST" -> cast();
            case "EXTRACT" -> extract();
            case "CONCAT" -> concat();
            case "IF" -> emitCall("CASE WHEN %s THEN %s ELSE %s END");
            case "COUNTIF" -> emitCall("COUNT(*) FILTER (WHERE %s)");
            case "LOGICAL_OR" -> emitCall("BOOL_OR(%s)");
            case "LOGICAL_AND" -> emitCall("BOOL_AND(%s)");
            case "ARRAY_LENGTH" -> emitCall(arguments -> "CARDINALITY(" + arguments.getFirst() + ")");
            case "GENERATE_UUID" -> {
                now(name);
                emitCall(arguments -> "CAST(RANDOM_UUID() AS VARCHAR)");
            }
            case "TIMESTAMP_ADD", "DATE_ADD" -> emitCall("( %s + %s )");
            case "TIMESTAMP_SUB", "DATE_SUB" -> emitCall("( %s - %s )");
            case "STARTS_WITH" -> emitCall("(LEFT(%1$s, CHAR_LENGTH(%2$s)) = %2$s)");
            case "ENDS_WITH" -> emitCall("(RIGHT(%1$s, CHAR_LENGTH(%2$s)) = %2$s)");
            case "BYTE_LENGTH" -> emitCall("OCTET_LENGTH(%s)");
            case "STRPOS" -> emitCall("LOCATE(%2$s, %1$s)");
            case "SUBSTR" ->
                emitCall(arguments -> arguments.size() == 3
                        ? "SUBSTR(%s, %s, SPANNER_LENGTH(%s))".formatted(arguments.toArray())
                        : "SUBSTR(" + String.join(", ", arguments) + ")");
            case "GREATEST", "LEAST" -> emitCall(arguments -> extreme(name, arguments));
            case "TO_JSON_STRING" -> emitCall("SPANNER_TEXT(%s)");
            case "UNNEST" -> unnest();
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Returns the greatest or the least value; in PostgreSQL nulls are ignored. */
    private String extreme(String name, List<String> arguments) {
        String call = name + "(" + String.join(", ", arguments) + ")";
        return dialect == DatabaseDialect.POSTGRESQL ? call + " IGNORE NULLS" : call;
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
        emitCall(arguments -> PENDING);
    }

    private void sequence(String function, String engineFunction) {
        cursor.next();
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

    private void emitCall(String format) {
        emitCall(arguments -> {
            try {
                return format.formatted(arguments.toArray());
            } catch (MissingFormatArgumentException e) {
                throw Errors.invalidArgument("A function was called with too few arguments");
            }
        });
    }

    private void emitCall(Function<List<String>, String> form) {
        cursor.next();
        translator.emit(form.apply(arguments()));
    }

    private void cast() {
        cursor.next();
        cursor.expectSymbol("(");
        String expression = translator.capture(() -> {
            while (!cursor.peek().isWord("AS")) {
                translator.translateToken();
            }
        });
        cursor.expectWords("AS");
        Type type = Types.parse(cursor, dialect).type();
        cursor.expectSymbol(")");
        translator.emit(cast(expression, type));
    }

    /** Returns a translated expression as a value of a type. */
    String cast(String expression, Type type) {
        boolean own = dialect != DatabaseDialect.POSTGRESQL && OWN_CASTS.contains(type.getCode());
        String value = own ? "SPANNER_" + type.getCode() + "(" + expression + ")" : expression;
        return switch (type.getCode()) {
            case STRING -> "SPANNER_TEXT(" + expression + ")";
            case JSON -> "SPANNER_JSONB(" + expression + ")";
            default -> "CAST( " + value + " AS " + Types.engineType(type) + " )";
        };
    }

    private void extract() {
        cursor.next();
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
        translator.emit("SPANNER_EXTRACT(%s, %s, %s)".formatted(SqlTranslator.stringLiteral(part), value, zone));
    }

    /** Translates a concatenation, which is NULL in GoogleSQL if one of its parts is. */
    private void concat() {
        cursor.next();
        List<String> parts = arguments();
        translator.emit(
                dialect == DatabaseDialect.POSTGRESQL
                        ? "CONCAT(" + String.join(", ", parts) + ")"
                        : "(" + String.join(" || ", parts) + ")");
    }

    /** Translates {@code UNNEST(array) AS x}: in Spanner x is the element, in the engine a table needs a column. */
    private void unnest() {
        cursor.next();
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
        if (arguments.isEmpty()) {
            arguments.add("");
        }
        return arguments;
    }

    private void argument() {
        while (!cursor.peek().isSymbol(",") && !cursor.peek().isSymbol(")")) {
            translator.translateToken();
        }
    }
}
