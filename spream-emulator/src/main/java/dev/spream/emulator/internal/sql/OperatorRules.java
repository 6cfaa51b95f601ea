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

    private static final Set<TypeCode> NUMBERS =
            Set.of(TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC);
    private static final Set<TypeCode> FLOATS = Set.of(TypeCode.FLOAT32, TypeCode.FLOAT64);

    /** The types of which a value is no operand of arithmetic. */
    private static final Set<TypeCode> NOT_COUNTED =
            Set.of(TypeCode.BOOL, TypeCode.STRING, TypeCode.BYTES, TypeCode.JSON, TypeCode.ARRAY);

    private static final Set<TypeCode> TIMES = Set.of(TypeCode.DATE, TypeCode.TIMESTAMP);
    private static final Set<TypeCode> JOINED = Set.of(TypeCode.STRING, TypeCode.BYTES, TypeCode.ARRAY);

    /** The types that the text of a literal may stand for. */
    private static final Set<TypeCode> WRITTEN_AS_TEXT =
            Set.of(TypeCode.DATE, TypeCode.TIMESTAMP, TypeCode.UUID, TypeCode.PROTO, TypeCode.ENUM);

    private static final Map<String, String> GOOGLE_BITS =
            Map.of("&", "BITAND", "|", "BITOR", "^", "BITXOR", "<<", "SPANNER_SHIFT_LEFT", ">>", "SPANNER_SHIFT_RIGHT");
    private static final Map<String, String> POSTGRES_BITS =
            Map.of("&", "BITAND", "|", "BITOR", "#", "BITXOR", "<<", "SPANNER_SHIFT_LEFT", ">>", "SPANNER_SHIFT_RIGHT");

    private static final String GOOGLE_NUMERIC = Types.engineType(Types.NUMERIC);

    /** The result types of functions; {@code FIRST} is that of the first argument, {@code ALIKE} that of all of them. */
    private static final Map<String, String> RESULTS = results("""
            INT64 array_length array_upper bit_and bit_count bit_or bit_xor byte_length char_length character_length count
            INT64 countif div length octet_length sign strpos
            FLOAT64 acos asin atan atan2 cos cosh dexp dlog1 dlog10 dpow dsqrt exp ieee_divide ln log log10 pow power sin
            FLOAT64 sinh sqrt stddev stddev_samp tan tanh var_samp variance
            STRING lower ltrim lpad repeat replace rtrim rpad string_agg to_json_string upper
            BOOL bool_and bool_or ends_with every exists is_inf is_nan logical_and logical_or starts_with
            TIMESTAMP current_timestamp now timestamp_add timestamp_sub
            DATE current_date date_add date_sub
            ARRAY array_agg array_cat
            FIRST abs any_value ceil ceiling concat floor max min nullif reverse round substr substring trim trunc
            ALIKE coalesce greatest ifnull least mod
            """);

    /**
     * An operand.
     *
     * @param start the number of its first token
     * @param literal whether it is a literal or a parameter; one of an unknown type is NULL
     */
    record Operand(int start, TypeCode type, boolean literal) {
        static Operand unknown(int start) {
            return new Operand(start, UNKNOWN, false);
        }

        static Operand literal(int start, TypeCode type) {
            return new Operand(start, type, true);
        }

        Operand of(TypeCode other) {
            return new Operand(start, other, false);
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
            case String type -> TypeCode.valueOf(type);
        };
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
        return postgres && !types.isEmpty() && NUMBERS.containsAll(types) ? TypeCode.FLOAT64 : UNKNOWN;
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
        checkListed(operator, left, right);
    }

    /** Checks the element of a list, or a bound, which may be NULL. */
    void checkListed(Token operator, Operand left, Operand right) {
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
                || (left.type() == right.type() && (postgres || left.type() != TypeCode.JSON))
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
        if (!isCounted(left) || !isCounted(right)) {
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
        if (FLOATS.contains(first) || FLOATS.contains(second)) {
            return TypeCode.FLOAT64;
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
        if (!symbol.equals("/") || FLOATS.contains(result) || result == TypeCode.INT64) {
            return Optional.empty();
        }
        if (result == TypeCode.NUMERIC) {
            return Optional.of("SPANNER_QUOTIENT($1, $2)");
        }
        return Optional.of(
                postgres
                        ? accepting(symbol, "INT64 FLOAT64", "$1, $2", "$1 / $2")
                        : accepting(symbol, "INT64 FLOAT64 DECFLOAT", "$1, $2", "$1 * 1E0 / $2"));
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
