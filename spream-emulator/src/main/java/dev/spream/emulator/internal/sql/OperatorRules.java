package dev.spream.emulator.internal.sql;

import com.google.spanner.v1.TypeCode;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The types that a dialect's operators take and return, and their forms in the embedded engine.
 *
 * @param places tells where a token of the statement is
 */
record OperatorRules(TokenCursor places, boolean postgres) {
    static final TypeCode UNKNOWN = TypeCode.TYPE_CODE_UNSPECIFIED;

    /** The types of literals that are written with the name of their type. */
    static final Map<String, TypeCode> LITERALS = Map.of(
            "DATE", TypeCode.DATE,
            "TIMESTAMP", TypeCode.TIMESTAMP,
            "TIMESTAMPTZ", TypeCode.TIMESTAMP,
            "NUMERIC", TypeCode.NUMERIC,
            "JSON", TypeCode.JSON,
            "JSONB", TypeCode.JSON);

    static final Set<TypeCode> NUMBERS = Set.of(TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC);
    static final Set<TypeCode> FLOATS = Set.of(TypeCode.FLOAT32, TypeCode.FLOAT64);

    /** The types of which a value is no operand of arithmetic. */
    private static final Set<TypeCode> NOT_COUNTED =
            Set.of(TypeCode.BOOL, TypeCode.STRING, TypeCode.BYTES, TypeCode.JSON, TypeCode.ARRAY);

    /** The types whose values GoogleSQL does not compare. */
    private static final Set<TypeCode> NOT_COMPARED = Set.of(TypeCode.JSON, TypeCode.ARRAY);

    private static final Set<TypeCode> TIMES = Set.of(TypeCode.DATE, TypeCode.TIMESTAMP);
    private static final Set<TypeCode> JOINED = Set.of(TypeCode.STRING, TypeCode.BYTES, TypeCode.ARRAY);

    /** The types that the text of a literal may stand for. */
    private static final Set<TypeCode> WRITTEN_AS_TEXT =
            Set.of(TypeCode.DATE, TypeCode.TIMESTAMP, TypeCode.UUID, TypeCode.PROTO, TypeCode.ENUM);

    private static final Map<String, String> GOOGLE_BITS =
            Map.of("&", "BITAND", "|", "BITOR", "^", "BITXOR", "<<", "SPANNER_SHIFT_LEFT", ">>", "SPANNER_SHIFT_RIGHT");
    private static final Map<String, String> POSTGRES_BITS =
            Map.of("&", "BITAND", "|", "BITOR", "#", "BITXOR", "<<", "SPANNER_SHIFT_LEFT", ">>", "SPANNER_SHIFT_RIGHT");

    private static final Map<String, String> FLOAT_FUNCTIONS =
            Map.of("+", "ADD", "-", "SUBTRACT", "*", "MULTIPLY", "/", "DIVIDE");
    private static final String GOOGLE_NUMERIC = Types.engineType(Types.NUMERIC);

    /**
     * The result types of functions; {@code FIRST} is that of the first argument, {@code ALIKE} that of all of them, and
     * {@code REST} that of all but the first.
     */
    private static final Map<String, String> RESULTS = results("""
            INT64 array_length array_upper bit_and bit_count bit_or bit_xor byte_length char_length character_length count
            INT64 countif div get_internal_sequence_state get_next_sequence_value length nextval octet_length
            INT64 spanner.get_internal_sequence_state strpos
            FLOAT64 acos asin atan atan2 cos cosh dexp dlog1 dlog10 dpow dsqrt exp ieee_divide ln log log10 pow power sin
            FLOAT64 sinh sqrt stddev stddev_samp tan tanh var_samp variance
            STRING lower ltrim lpad repeat replace rtrim rpad string_agg to_json_string upper
            BOOL bool_and bool_or ends_with every exists is_inf is_nan logical_and logical_or starts_with
            TIMESTAMP current_timestamp now timestamp_add timestamp_sub
            DATE current_date date_add date_sub
            ARRAY array_agg array_cat
            FIRST abs any_value ceil ceiling concat floor max min nullif reverse round sign substr substring trim trunc
            ALIKE coalesce greatest ifnull least mod
            REST if
            """);

    /**
     * An operand.
     *
     * @param start the number of its first token
     * @param literal whether it is a literal or a parameter; one of an unknown type is NULL
     * @param name the name of a result column that is this operand, or empty
     * @param weak whether PostgreSQL prefers the name of an operand within
     */
    record Operand(int start, TypeCode type, boolean literal, String name, boolean weak) {
        static Operand unknown(int start) {
            return new Operand(start, UNKNOWN, false, "", false);
        }

        static Operand literal(int start, TypeCode type) {
            return new Operand(start, type, true, "", false);
        }

        Operand of(TypeCode other) {
            return new Operand(start, other, false, "", false);
        }

        Operand named(String other) {
            return new Operand(start, type, literal, other, false);
        }

        /** Returns the operand with the name of one within, or else with this one. */
        Operand named(Operand within, String otherwise) {
            boolean strong = !within.name.isEmpty() && !within.weak;
            return new Operand(start, type, literal, strong ? within.name : otherwise, !strong);
        }

        Operand unknown() {
            return of(UNKNOWN);
        }

        boolean isNull() {
            return literal && type == UNKNOWN;
        }

        boolean isText() {
            return literal && type == TypeCode.STRING;
        }
    }

    private static Map<String, String> results(String lines) {
        Map<String, String> results = new HashMap<>();
        for (String line : lines.lines().toList()) {
            String[] words = line.split(" ", -1);
            Stream.of(words).skip(1).forEach(function -> results.put(function, words[0]));
        }
        return results;
    }

    static TypeCode number(Token number, boolean postgres) {
        boolean whole = !number.text().contains(".") && !number.upper().contains("E");
        return whole ? TypeCode.INT64 : postgres ? TypeCode.NUMERIC : TypeCode.FLOAT64;
    }

    /** Returns the result type of a function, as far as it is known. */
    TypeCode called(String function, List<Operand> arguments) {
        TypeCode first = arguments.isEmpty() ? UNKNOWN : arguments.getFirst().type();
        return switch (RESULTS.getOrDefault(function, "")) {
            case "" -> aggregated(function, first);
            case "FIRST" -> first;
            case "ALIKE" -> alike(arguments);
            case "REST" -> alike(arguments.stream().skip(1).toList());
            case String type -> TypeCode.valueOf(type);
        };
    }

    /** Returns the type that decides over the form of a call: that of the first argument, or of all of them. */
    TypeCode deciding(String function, List<Operand> arguments) {
        boolean alike = RESULTS.getOrDefault(function, "").equals("ALIKE");
        Operand first = arguments.isEmpty() ? Operand.unknown(0) : arguments.getFirst();
        return alike ? alike(arguments) : postgres && first.isText() ? UNKNOWN : first.type();
    }

    /** Returns the type that operands have in common, as far as it is known; NULL has any. */
    TypeCode alike(List<Operand> operands) {
        Set<TypeCode> types = operands.stream()
                .filter(each -> !each.isNull())
                .map(Operand::type)
                .collect(Collectors.toSet());
        if (types.size() == 1) {
            return types.iterator().next();
        }
        if (types.equals(Set.of(TypeCode.INT64, TypeCode.NUMERIC))) {
            return TypeCode.NUMERIC;
        }
        boolean coerced = !postgres
                && types.contains(TypeCode.NUMERIC)
                && operands.stream().anyMatch(Operand::literal);
        return !coerced && !types.isEmpty() && NUMBERS.containsAll(types) ? TypeCode.FLOAT64 : UNKNOWN;
    }

    private TypeCode aggregated(String function, TypeCode argument) {
        return switch (function) {
            case "extract" -> postgres ? TypeCode.NUMERIC : TypeCode.INT64;
            case "sum" -> postgres && argument == TypeCode.INT64 ? TypeCode.NUMERIC : argument;
            case "avg" -> argument == TypeCode.INT64 ? (postgres ? TypeCode.NUMERIC : TypeCode.FLOAT64) : argument;
            default -> UNKNOWN;
        };
    }

    void checkCompared(Token operator, Operand left, Operand right) {
        refuseNull(operator, left, right);
        checkComparable(operator, left, right);
    }

    /**
     * Returns the form of a comparison in the engine, if the operator is not enough there: the engine takes NaN for a
     * number like any other, as PostgreSQL does.
     */
    Optional<String> comparison(Token operator, Operand left, Operand right) {
        String symbol = operator.isSymbol("!=") ? "<>" : operator.text();
        if (postgres) {
            String bytes = "SPANNER_BYTEA(%s)";
            return left.type() == TypeCode.BYTES && right.isText()
                    ? Optional.of("($1 " + symbol + " " + bytes.formatted("$2") + ")")
                    : right.type() == TypeCode.BYTES && left.isText()
                            ? Optional.of("(" + bytes.formatted("$1") + " " + symbol + " $2)")
                            : Optional.empty();
        }
        if (!FLOATS.contains(left.type()) && !FLOATS.contains(right.type())) {
            return Optional.empty();
        }
        String compared = "%s %s %s".formatted(single("$1", left, right), symbol, single("$2", right, left));
        return Optional.of(
                symbol.equals("<>")
                        ? "(" + compared + " OR SPANNER_ANY_NAN($1, $2))"
                        : "(" + compared + " AND NOT SPANNER_ANY_NAN($1, $2))");
    }

    /** Returns the form of a literal, which has the precision of a FLOAT32 that it is compared with. */
    private static String single(String form, Operand operand, Operand other) {
        boolean single = operand.literal() && operand.type() == TypeCode.FLOAT64 && other.type() == TypeCode.FLOAT32;
        return single ? "CAST(" + form + " AS REAL)" : form;
    }

    /** Returns whether a literal beside another operand is a NUMERIC. */
    boolean isExact(Operand literal, Operand other) {
        return fitted(literal, other) != literal.type();
    }

    /** Checks that a value may be cast to a type. */
    void checkCast(Token place, Operand value, TypeCode type) {
        TypeCode from = value.type();
        if (from == UNKNOWN || from == type || (postgres && value.isText())) {
            return;
        }
        if (!postgres && from == TypeCode.FLOAT32 && type == TypeCode.NUMERIC) {
            throw Errors.unimplemented("The emulator does not cast FLOAT32 to NUMERIC; cast it to FLOAT64 first");
        }
        if (!isCast(from, type)) {
            throw postgres
                    ? Errors.invalidArgument("[ERROR] cannot cast type %s to %s", shownType(value), type)
                    : Errors.invalidArgument(
                            "Invalid cast from %s to %s [at %d:%d]",
                            from, type, places.line(place), places.column(place));
        }
    }

    private boolean isCast(TypeCode from, TypeCode to) {
        return switch (to) {
            case STRING -> true;
            case BOOL -> from == TypeCode.STRING || (!postgres && from == TypeCode.INT64);
            case INT64 -> NUMBERS.contains(from) || from == TypeCode.BOOL || from == TypeCode.STRING || isOther(from);
            case FLOAT32, FLOAT64, NUMERIC ->
                NUMBERS.contains(from) || from == TypeCode.STRING || from == TypeCode.JSON;
            case BYTES -> from == TypeCode.STRING || isOther(from);
            case DATE, TIMESTAMP -> TIMES.contains(from) || from == TypeCode.STRING;
            default -> true;
        };
    }

    /** Returns whether values are neither numbers, times nor texts. */
    private static boolean isOther(TypeCode type) {
        return type == TypeCode.PROTO || type == TypeCode.ENUM || type == TypeCode.UUID || type == TypeCode.JSON;
    }

    /** Checks the element of a list, or a bound, which may be NULL. */
    void checkListed(Token operator, Operand left, Operand right) {
        if (postgres && left.type() == TypeCode.BYTES && right.isText()) {
            throw Errors.unimplemented("The emulator compares a bytea with a text by = only; use a cast");
        }
        checkComparable(operator, left, right);
    }

    private void checkComparable(Token operator, Operand left, Operand right) {
        if (postgres && left.type() != right.type() && TIMES.containsAll(List.of(left.type(), right.type()))) {
            throw Errors.unimplemented("The comparison of a date with a timestamptz is not supported");
        }
        if (!isComparable(left, right)) {
            throw noSuchOperator(operator, left, right);
        }
    }

    private void refuseNull(Token operator, Operand... operands) {
        if (!postgres && Stream.of(operands).anyMatch(Operand::isNull)) {
            throw Errors.invalidArgument(
                    "Operands of %s cannot be literal NULL [at %d:%d]",
                    operator.text(), places.line(operator), places.column(operator));
        }
    }

    private boolean isComparable(Operand left, Operand right) {
        return left.type() == UNKNOWN
                || right.type() == UNKNOWN
                || (left.type() == right.type() && (postgres || !NOT_COMPARED.contains(left.type())))
                || (NUMBERS.contains(left.type()) && NUMBERS.contains(right.type()))
                || (left.isText() && isWrittenAsText(right.type()))
                || (right.isText() && isWrittenAsText(left.type()))
                || left.type() == TypeCode.ENUM
                || right.type() == TypeCode.ENUM;
    }

    private boolean isWrittenAsText(TypeCode type) {
        return postgres || WRITTEN_AS_TEXT.contains(type);
    }

    /** Returns the type of an operation, as far as it is known. */
    TypeCode result(Token operator, Operand left, Operand right) {
        String symbol = operator.text();
        refuseNull(operator, left, right);
        if (bits().containsKey(symbol)) {
            return bits(operator, left, right);
        }
        if (symbol.equals("~")) {
            return TypeCode.BOOL;
        }
        if (symbol.equals("||")) {
            if (!isJoined(left) || !isJoined(right)) {
                throw postgres
                        ? Errors.unimplemented("The operator || is not supported for values that are no text")
                        : noSuchOperator(operator, left, right);
            }
            return left.type() == UNKNOWN ? right.type() : left.type();
        }
        boolean date = left.type() == TypeCode.DATE || right.type() == TypeCode.DATE;
        boolean days = left.type() == TypeCode.INT64 || right.type() == TypeCode.INT64;
        if (!isCounted(left) || !isCounted(right) || (!postgres && date && days)) {
            throw noSuchOperator(operator, left, right);
        }
        return arithmetic(symbol, left, right);
    }

    private boolean isJoined(Operand operand) {
        return operand.type() == UNKNOWN || JOINED.contains(operand.type());
    }

    private boolean isCounted(Operand operand) {
        return (postgres && operand.isText()) || !NOT_COUNTED.contains(operand.type());
    }

    private TypeCode arithmetic(String symbol, Operand left, Operand right) {
        TypeCode first = fitted(left, right);
        TypeCode second = fitted(right, left);
        if (!NUMBERS.contains(first) || !NUMBERS.contains(second)) {
            return UNKNOWN;
        }
        if (symbol.equals("^")) {
            return TypeCode.FLOAT64;
        }
        if (first == TypeCode.FLOAT64 || second == TypeCode.FLOAT64) {
            return TypeCode.FLOAT64;
        }
        if (FLOATS.contains(first) || FLOATS.contains(second)) {
            return postgres ? TypeCode.FLOAT32 : TypeCode.FLOAT64;
        }
        if (first == TypeCode.NUMERIC || second == TypeCode.NUMERIC) {
            return TypeCode.NUMERIC;
        }
        return symbol.equals("/") && !postgres ? TypeCode.FLOAT64 : TypeCode.INT64;
    }

    /** Returns the type of an operand beside another: a literal with a decimal point may be a NUMERIC. */
    private TypeCode fitted(Operand operand, Operand other) {
        boolean numeric = !postgres && operand.literal() && operand.type() == TypeCode.FLOAT64;
        return numeric && other.type() == TypeCode.NUMERIC ? TypeCode.NUMERIC : operand.type();
    }

    private Map<String, String> bits() {
        return postgres ? POSTGRES_BITS : GOOGLE_BITS;
    }

    private TypeCode bits(Token operator, Operand... operands) {
        for (Operand operand : operands) {
            if (operand.type() == TypeCode.BYTES) {
                throw Errors.unimplemented("The emulator does not support the operator %s for BYTES", operator.text());
            }
            boolean text = postgres && operand.isText();
            if (operand.type() != TypeCode.INT64 && operand.type() != UNKNOWN && !text) {
                throw noSuchOperator(operator, operands);
            }
        }
        return TypeCode.INT64;
    }

    /** Returns the form of an operation in the engine, if the operator is not enough there. */
    Optional<String> form(Token operator, Operand left, Operand right, TypeCode result) {
        String symbol = operator.text();
        if (bits().containsKey(symbol)) {
            String form = bits().get(symbol) + "(CAST($1 AS BIGINT), CAST($2 AS BIGINT))";
            boolean unknown = left.type() == UNKNOWN || right.type() == UNKNOWN;
            return Optional.of(unknown ? accepting(symbol, "INT64", "$1, $2", form) : form);
        }
        if (symbol.equals("^")) {
            return Optional.of("SPANNER_FINITE('POW', POWER($1, $2), $1, $2)");
        }
        if (result == TypeCode.NUMERIC && !postgres) {
            return Optional.of(
                    "CAST(CAST($1 AS %1$s) %2$s CAST($2 AS %1$s) AS %1$s)".formatted(GOOGLE_NUMERIC, symbol));
        }
        if (result == TypeCode.FLOAT32) {
            return Optional.of("CAST(CAST($1 AS REAL) %s CAST($2 AS REAL) AS REAL)".formatted(symbol));
        }
        String function = FLOAT_FUNCTIONS.get(symbol);
        boolean quotient = !postgres && symbol.equals("/");
        if (function != null && result == TypeCode.FLOAT64) {
            return Optional.of(
                    "SPANNER_%s(CAST($1 AS DOUBLE PRECISION), CAST($2 AS DOUBLE PRECISION))".formatted(function));
        }
        if (quotient) {
            return Optional.of("SPANNER_DIVIDE($1, $2)");
        }
        if (!symbol.equals("/") || result == TypeCode.INT64) {
            return Optional.empty();
        }
        if (result == TypeCode.NUMERIC) {
            return Optional.of("SPANNER_QUOTIENT($1, $2)");
        }
        return Optional.of(accepting(symbol, "INT64 FLOAT64", "$1, $2", "$1 / $2"));
    }

    /** Checks the operand of a sign. */
    void checkSigned(Token sign, Operand operand) {
        if (!isCounted(operand)) {
            throw noSuchOperator(sign, operand);
        }
    }

    /** Returns the form of a complement in the engine. */
    String inverted(Token operator, Operand operand) {
        refuseNull(operator, operand);
        bits(operator, operand);
        return accepting("~", "INT64", "$2", "BITNOT(CAST($2 AS BIGINT))");
    }

    private static String accepting(String symbol, String types, String operands, String form) {
        return "CASE WHEN SPANNER_ACCEPTS('%s', '%s', %s) THEN %s END".formatted(symbol, types, operands, form);
    }

    /** Refuses a negative zero, which the engine does not store. */
    void refuseNegativeZero(Token sign, Token number) {
        boolean floating = number.kind() == Token.Kind.NUMBER && number(number, postgres) == TypeCode.FLOAT64;
        if (sign.isSymbol("-") && floating && Double.parseDouble(number.text()) == 0) {
            throw Values.negativeZero();
        }
    }

    private StatusRuntimeException noSuchOperator(Token operator, Operand... operands) {
        String types =
                String.join(", ", Arrays.stream(operands).map(this::shownType).toList());
        return postgres
                ? Errors.notFound(
                        "[ERROR] operator does not exist: %s (%s)", operator.text(), types.toLowerCase(Locale.ROOT))
                : Errors.invalidArgument(
                        "No matching signature for operator %s for argument types: %s [at %d:%d]",
                        operator.upper(), types, places.line(operator), places.column(operator));
    }

    private String shownType(Operand operand) {
        return operand.isNull()
                ? "NULL"
                : operand.type() == UNKNOWN ? "any type" : operand.type().name();
    }
}
