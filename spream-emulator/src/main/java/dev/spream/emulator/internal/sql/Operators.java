package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.OperatorRules.Operand;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The operators of a statement, found by the dialect's order of precedence: the places of those that the embedded engine
 * writes differently, and a check of their operands' types. The types are those that literals, parameters, columns, casts
 * and common functions have; that of a subquery's column is unknown, and passes. Confined to one statement.
 */
final class Operators {
    private static final int COMPARISON = 1;

    private static final String COMPARISONS = "= < > <= >= <> !=";
    private static final Map<String, Integer> GOOGLESQL =
            precedences(COMPARISONS, "|", "^", "&", "<< >>", "+ -", "* / ||");
    private static final Map<String, Integer> POSTGRESQL =
            precedences(COMPARISONS, "| # & << >> || ~", "+ -", "* /", "^");

    /** The keywords with which an operand begins. */
    private static final Set<String> FIRST_WORDS =
            Set.of("NULL", "TRUE", "FALSE", "CASE", "CAST", "ARRAY", "INTERVAL", "EXISTS");

    /** The keywords that are functions before a parenthesis. */
    private static final Set<String> CALLED_KEYWORDS = Set.of("IF", "LEFT", "RIGHT", "UNNEST", "INSERT");

    private static final Set<String> AFTER_ASSIGNMENTS = Set.of("WHERE", "RETURNING", "RETURN");

    private final TokenCursor cursor;
    private final DatabaseDialect dialect;
    private final boolean postgres;
    private final SqlParameters parameters;
    private final OperatorRules rules;
    private final ColumnTypes columns;
    private final Map<Integer, Deque<Operation>> operations = new HashMap<>();
    private final Set<Integer> exactAverages = new HashSet<>();
    private final Set<Integer> exactNumbers = new HashSet<>();
    private final Map<Integer, TypeCode> callTypes = new HashMap<>();
    private final Map<Integer, Element> elements = new HashMap<>();

    /**
     * An operator that is written differently.
     *
     * @param operator the number of its token
     * @param end the number of the token after its right operand
     * @param form its form in the engine, with the operands as {@code $1} and {@code $2}
     * @param cast the type that PostgreSQL's {@code ::} casts to
     */
    record Operation(int operator, int end, String form, Optional<Types.Declared> cast) {}

    /** An operand with the number of the token after it. */
    private record Element(int end, Operand operand) {}

    /** The types of the columns that a statement may name. */
    @FunctionalInterface
    interface ColumnTypes {
        Optional<TypeCode> of(Token name);
    }

    private Operators(String sql, DatabaseDialect dialect, SqlParameters parameters, ColumnTypes columns) {
        this.cursor = new TokenCursor(sql, dialect);
        this.dialect = dialect;
        this.postgres = dialect == DatabaseDialect.POSTGRESQL;
        this.parameters = parameters;
        this.rules = new OperatorRules(cursor, postgres);
        this.columns = columns;
    }

    /** Returns the precedence of each operator, from the lowest, 1. */
    private static Map<String, Integer> precedences(String... levels) {
        Map<String, Integer> precedences = new HashMap<>();
        for (int level = 0; level < levels.length; level++) {
            for (String operator : levels[level].split(" ", -1)) {
                precedences.put(operator, level + 1);
            }
        }
        return precedences;
    }

    /**
     * Finds the operators of a statement.
     *
     * @throws io.grpc.StatusRuntimeException INVALID_ARGUMENT if one has operands that it does not take
     */
    static Operators of(String sql, DatabaseDialect dialect, SqlParameters parameters, ColumnTypes columns) {
        Operators operators = new Operators(sql, dialect, parameters, columns);
        operators.statement();
        return operators;
    }

    /** Returns whether the token begins a call of PostgreSQL's average of whole or decimal numbers. */
    boolean averageExactlyAt(int token) {
        return exactAverages.contains(token);
    }

    /** Returns whether a number with a decimal point is a NUMERIC. */
    boolean isExactAt(int token) {
        return exactNumbers.contains(token);
    }

    /** Returns the type that decides over the form of the call that begins with this token, as far as it is known. */
    TypeCode callTypeAt(int token) {
        return callTypes.getOrDefault(token, OperatorRules.UNKNOWN);
    }

    /** Returns the operand that is these tokens as a whole, if they are one. */
    Optional<Operand> whole(int start, int end) {
        return Optional.ofNullable(elements.get(start))
                .filter(element -> element.end() == end)
                .map(Element::operand);
    }

    /** Removes and returns the operator whose left operand begins with this token; of several the outermost. */
    Optional<Operation> take(int token) {
        Deque<Operation> beginning = operations.get(token);
        if (beginning == null) {
            return Optional.empty();
        }
        Operation outermost = beginning.removeLast();
        if (beginning.isEmpty()) {
            operations.remove(token);
        }
        return Optional.of(outermost);
    }

    private void statement() {
        boolean assigns = false;
        while (!cursor.atEnd()) {
            Token first = cursor.peek();
            assigns = (assigns || first.isWord("SET")) && !AFTER_ASSIGNMENTS.contains(first.upper());
            element();
            if (assigns && (first.isWord("SET") || first.isSymbol(","))) {
                cursor.skipTo("=");
            }
        }
    }

    /** Passes an expression, or a token that is none; returns the expression. */
    private Optional<Operand> element() {
        if (beginsOperand(0)) {
            int start = cursor.position();
            Operand operand = expression(COMPARISON);
            elements.put(start, new Element(cursor.position(), operand));
            return Optional.of(operand);
        }
        cursor.next();
        return Optional.empty();
    }

    private List<Operand> group(String closing) {
        List<Operand> elements = new ArrayList<>();
        while (!cursor.acceptSymbol(closing) && !cursor.atEnd()) {
            Optional<Operand> element = element();
            boolean whole = cursor.peek().isSymbol(",") || cursor.peek().isSymbol(closing);
            element.map(each -> whole ? each : each.unknown()).ifPresent(elements::add);
        }
        return elements;
    }

    /** Passes the branches of a CASE and its END; returns the results, with that of ELSE at the end. */
    private List<Operand> results() {
        List<Operand> results = new ArrayList<>();
        boolean otherwise = false;
        while (!cursor.atEnd() && !cursor.acceptWords("END")) {
            otherwise = otherwise || cursor.peek().isWord("ELSE");
            boolean result = cursor.acceptWords("THEN") || cursor.acceptWords("ELSE");
            Operand operand = element().orElse(Operand.unknown(cursor.position()));
            if (result) {
                boolean whole =
                        Set.of("WHEN", "ELSE", "END").contains(cursor.peek().upper());
                results.add(whole ? operand : operand.unknown());
            }
        }
        if (!otherwise) {
            results.add(Operand.literal(cursor.position(), OperatorRules.UNKNOWN));
        }
        return results;
    }

    private boolean beginsOperand(int ahead) {
        Token token = cursor.peek(ahead);
        return switch (token.kind()) {
            case NUMBER, STRING, BYTES, PARAMETER, QUOTED_NAME -> true;
            case SYMBOL -> Set.of("(", "[", "-", "+", "~").contains(token.text());
            case WORD ->
                !SqlTranslator.KEYWORDS.contains(token.upper())
                        || FIRST_WORDS.contains(token.upper())
                        || (CALLED_KEYWORDS.contains(token.upper())
                                && cursor.peek(ahead + 1).isSymbol("("));
            case END -> false;
        };
    }

    /** Passes operands and the operators of at least this precedence between them. */
    private Operand expression(int lowest) {
        Operand left = operand();
        while (precedence(cursor.peek()) >= lowest && beginsOperand(1)) {
            int place = cursor.position();
            Token operator = cursor.next();
            Operand right = expression(precedence(operator) + 1);
            left = combined(left, place, operator, right);
        }
        return lowest == COMPARISON ? listed(left) : left;
    }

    private int precedence(Token token) {
        return token.kind() == Kind.SYMBOL ? (postgres ? POSTGRESQL : GOOGLESQL).getOrDefault(token.text(), 0) : 0;
    }

    private Operand combined(Operand left, int place, Token operator, Operand right) {
        if (precedence(operator) == COMPARISON) {
            rules.checkCompared(operator, left, right);
            exact(left, right);
            rules.comparison(operator, left, right).ifPresent(form -> add(left.start(), place, form));
            return left.of(TypeCode.BOOL);
        }
        TypeCode type = rules.result(operator, left, right);
        exact(left, right);
        rules.form(operator, left, right, type).ifPresent(form -> add(left.start(), place, form));
        return left.of(type);
    }

    /** Notes a literal with a decimal point that is a NUMERIC beside another operand. */
    private void exact(Operand left, Operand right) {
        if (rules.isExact(left, right)) {
            exactNumbers.addAll(List.of(left.start(), left.start() + 1)); // the number may have a sign
        } else if (rules.isExact(right, left)) {
            exactNumbers.addAll(List.of(right.start(), right.start() + 1));
        }
    }

    private void add(int start, int place, String form) {
        operations
                .computeIfAbsent(start, token -> new ArrayDeque<>())
                .addLast(new Operation(place, cursor.position(), form, Optional.empty()));
    }

    /** Passes the list or the bounds that an operand is compared with, if there are any. */
    private Operand listed(Operand left) {
        int not = cursor.peek().isWord("NOT") ? 1 : 0;
        Token operator = cursor.peek(not);
        boolean list = operator.isWord("IN") && cursor.peek(not + 1).isSymbol("(");
        if (!list && !operator.isWord("BETWEEN")) {
            return left;
        }
        cursor.skip(not + 1);
        if (list) {
            cursor.next();
            boolean subquery = cursor.peek().isWord("SELECT") || cursor.peek().isWord("WITH");
            List<Operand> elements = group(")");
            if (!subquery) {
                elements.forEach(element -> rules.checkListed(operator, left, element));
            }
        } else {
            rules.checkListed(operator, left, expression(COMPARISON + 1));
            if (cursor.acceptWords("AND")) {
                rules.checkListed(operator, left, expression(COMPARISON + 1));
            }
        }
        return left.of(TypeCode.BOOL);
    }

    private Operand operand() {
        int start = cursor.position();
        Operand operand = first(start);
        while (true) {
            int place = cursor.position();
            if (cursor.acceptSymbol("::")) {
                Token type = cursor.peek();
                Types.Declared declared = Types.parse(cursor, dialect);
                operations
                        .computeIfAbsent(start, token -> new ArrayDeque<>())
                        .addLast(new Operation(place, cursor.position(), "$1", Optional.of(declared)));
                operand = cast(operand, operand, type, declared.type());
            } else if (cursor.acceptSymbol("[")) {
                group("]");
                operand = operand.unknown().named(postgres ? operand.name() : "");
            } else if (cursor.peek().isSymbol(".") && cursor.peek(1).isName()) {
                cursor.next();
                operand = operand.unknown().named(Dialect.of(dialect).name(cursor.next()));
            } else {
                return operand;
            }
        }
    }

    private Operand first(int start) {
        Token token = cursor.next();
        return switch (token.kind()) {
            case NUMBER -> Operand.literal(start, OperatorRules.number(token, postgres));
            case STRING -> Operand.literal(start, TypeCode.STRING);
            case BYTES -> Operand.literal(start, TypeCode.BYTES);
            case PARAMETER -> parameter(start, postgres ? "p" + token.text() : token.text());
            case SYMBOL -> symbol(start, token);
            default -> named(start, token);
        };
    }

    private Operand parameter(int start, String name) {
        return parameters.isTyped(name)
                ? Operand.literal(start, parameters.type(name).getCode())
                : Operand.unknown(start);
    }

    private Operand symbol(int start, Token symbol) {
        return switch (symbol.text()) {
            case "(" -> {
                String column = postgres && cursor.acceptWords("SELECT") ? column() : "";
                List<Operand> group = group(")");
                Operand only = group.size() == 1 ? group.getFirst() : Operand.unknown(start);
                yield column.isEmpty()
                        ? new Operand(start, only.type(), false, only.name(), only.weak())
                        : Operand.unknown(start).named(column);
            }
            case "[" -> {
                group("]");
                yield Operand.unknown(start).of(TypeCode.ARRAY);
            }
            default -> {
                rules.refuseNegativeZero(symbol, cursor.peek());
                Operand operand = beginsOperand(0) ? operand() : Operand.unknown(start);
                if (symbol.isSymbol("~")) {
                    add(start, start, rules.inverted(symbol, operand));
                } else {
                    rules.checkSigned(symbol, operand);
                }
                yield new Operand(start, operand.type(), operand.literal(), "", false);
            }
        };
    }

    /** Passes the first item of a subquery and returns its name, or that of a column without one. */
    private String column() {
        Operand item = element().orElse(Operand.unknown(cursor.position()));
        Token next = cursor.peek();
        if (next.isWord("AS")) {
            return Dialect.of(dialect).name(cursor.peek(1));
        }
        boolean whole = next.isSymbol(")") || next.isSymbol(",") || next.isWord("FROM");
        return whole && !item.name().isEmpty() ? item.name() : Translation.UNNAMED;
    }

    /** Returns a cast, which PostgreSQL names by the type unless its operand has a name. */
    private Operand cast(Operand operand, Operand value, Token spelled, Type type) {
        rules.checkCast(spelled, value, type.getCode());
        exact(value, operand.of(type.getCode()));
        Operand cast = operand.of(type.getCode());
        return postgres ? cast.named(value, spelled.isWord("text") ? "text" : Types.postgresColumnName(type)) : cast;
    }

    private Operand named(int start, Token first) {
        Operand unknown = Operand.unknown(start);
        return switch (first.kind() == Kind.WORD ? first.upper() : "") {
            case "NULL" -> Operand.literal(start, OperatorRules.UNKNOWN);
            case "TRUE", "FALSE" -> unknown.of(TypeCode.BOOL);
            case "CASE" -> {
                List<Operand> results = results();
                Operand chosen = unknown.of(rules.alike(results));
                yield postgres ? chosen.named(results.getLast(), "case") : chosen;
            }
            case "ARRAY" -> {
                if (cursor.acceptSymbol("<")) {
                    cursor.skipTo("[");
                    group("]");
                } else if (cursor.acceptSymbol("(")) {
                    group(")");
                }
                yield unknown.of(TypeCode.ARRAY).named(postgres ? "array" : "");
            }
            case "INTERVAL" -> {
                if (cursor.peek().kind() != Kind.STRING) {
                    operand();
                }
                cursor.next();
                yield unknown;
            }
            default ->
                cursor.peek().kind() == Kind.STRING && OperatorRules.LITERALS.containsKey(first.upper())
                        ? typedLiteral(unknown, first)
                        : path(unknown, first);
        };
    }

    private Operand typedLiteral(Operand operand, Token type) {
        cursor.next();
        TypeCode code = OperatorRules.LITERALS.getOrDefault(type.upper(), OperatorRules.UNKNOWN);
        return cast(operand, Operand.unknown(operand.start()), type, Types.of(code));
    }

    /** Passes the name of a column or a call. */
    private Operand path(Operand operand, Token first) {
        Token last = first;
        StringBuilder path = new StringBuilder(first.text());
        while (cursor.peek().isSymbol(".") && cursor.peek(1).isName()) {
            cursor.next();
            last = cursor.next();
            path.append('.').append(last.text());
        }
        if (!cursor.acceptSymbol("(")) {
            boolean called = !postgres && last == first && last.upper().startsWith("CURRENT_");
            return operand.of(columns.of(last).orElse(OperatorRules.UNKNOWN))
                    .named(called ? "" : Dialect.of(dialect).name(last));
        }
        String function = path.toString().toLowerCase(Locale.ROOT);
        if (function.equals("cast") || function.equals("safe_cast")) {
            return cast(operand);
        }
        List<Operand> arguments = group(")");
        TypeCode type = rules.called(function, arguments);
        callTypes.put(operand.start(), rules.deciding(function, arguments));
        if (postgres && function.equals("avg") && type == TypeCode.NUMERIC) {
            exactAverages.add(operand.start());
        }
        String name = Dialect.of(dialect).name(last);
        return operand.of(type).named(!postgres ? "" : name.equals("trim") ? "btrim" : name);
    }

    private Operand cast(Operand operand) {
        List<Operand> values = new ArrayList<>();
        while (!cursor.atEnd() && !cursor.peek().isWord("AS")) {
            values.add(element().orElse(operand));
        }
        cursor.expectWords("AS");
        Token type = cursor.peek();
        Type declared = Types.parse(cursor, dialect).type();
        group(")");
        Operand value = values.size() == 1 ? values.getFirst() : operand;
        return cast(operand, value, type, declared);
    }
}
