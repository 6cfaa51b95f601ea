package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
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

    /**
     * An operator that is written differently.
     *
     * @param operator the number of its token
     * @param end the number of the token after its right operand
     * @param form its form in the engine, with the operands as {@code $1} and {@code $2}
     */
    record Operation(int operator, int end, String form) {}

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

    /** Returns whether the left operand of an operator that is written differently begins with this token. */
    boolean beginAt(int token) {
        return operations.containsKey(token);
    }

    /** Returns whether the token begins a call of PostgreSQL's average of whole or decimal numbers. */
    boolean averageExactlyAt(int token) {
        return exactAverages.contains(token);
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
            return Optional.of(expression(COMPARISON));
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

    /** Passes the branches of a CASE and its END; returns the results, those of other than operators as unknown. */
    private List<Operand> results() {
        List<Operand> results = new ArrayList<>();
        while (!cursor.atEnd() && !cursor.acceptWords("END")) {
            boolean result = cursor.acceptWords("THEN") || cursor.acceptWords("ELSE");
            Operand operand = element().orElse(Operand.unknown(cursor.position()));
            if (result) {
                boolean whole =
                        Set.of("WHEN", "ELSE", "END").contains(cursor.peek().upper());
                results.add(whole ? operand : operand.unknown());
            }
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
            return left.of(TypeCode.BOOL);
        }
        TypeCode type = rules.result(operator, left, right);
        rules.form(operator, left, right, type).ifPresent(form -> add(left.start(), place, form));
        return left.of(type);
    }

    private void add(int start, int place, String form) {
        operations
                .computeIfAbsent(start, token -> new ArrayDeque<>())
                .addLast(new Operation(place, cursor.position(), form));
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
            if (cursor.acceptSymbol("::")) {
                operand = operand.of(Types.parse(cursor, dialect).type().getCode());
            } else if (cursor.acceptSymbol("[")) {
                group("]");
                operand = operand.unknown();
            } else if (cursor.peek().isSymbol(".") && cursor.peek(1).isName()) {
                cursor.skip(2);
                operand = operand.unknown();
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
                List<Operand> elements = group(")");
                yield Operand.unknown(start)
                        .of(elements.size() == 1 ? elements.getFirst().type() : OperatorRules.UNKNOWN);
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
                yield new Operand(start, operand.type(), operand.literal());
            }
        };
    }

    private Operand named(int start, Token first) {
        Operand unknown = Operand.unknown(start);
        return switch (first.kind() == Kind.WORD ? first.upper() : "") {
            case "NULL" -> Operand.literal(start, OperatorRules.UNKNOWN);
            case "TRUE", "FALSE" -> unknown.of(TypeCode.BOOL);
            case "CASE" -> unknown.of(rules.alike(results()));
            case "ARRAY" -> {
                if (cursor.acceptSymbol("<")) {
                    cursor.skipTo("[");
                    group("]");
                }
                yield unknown.of(TypeCode.ARRAY);
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
        return operand.of(OperatorRules.LITERALS.getOrDefault(type.upper(), OperatorRules.UNKNOWN));
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
            return operand.of(columns.of(last).orElse(OperatorRules.UNKNOWN));
        }
        String function = path.toString().toLowerCase(Locale.ROOT);
        if (function.equals("cast") || function.equals("safe_cast")) {
            return operand.of(cast());
        }
        TypeCode type = rules.called(function, group(")"));
        if (postgres && function.equals("avg") && type == TypeCode.NUMERIC) {
            exactAverages.add(operand.start());
        }
        return operand.of(type);
    }

    private TypeCode cast() {
        while (!cursor.atEnd() && !cursor.peek().isWord("AS")) {
            element();
        }
        TypeCode type =
                cursor.acceptWords("AS") ? Types.parse(cursor, dialect).type().getCode() : OperatorRules.UNKNOWN;
        group(")");
        return type;
    }
}
