package dev.spream.emulator.internal.sql;

import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The tables that a query or a DML statement reads, and the values that its condition demands of columns of its only
 * table.
 *
 * @param tables the names of tables and views, in lower case; none for an INSERT of values
 * @param demands by the name of the column in lower case: values of which only rows with one of them are read
 */
public record StatementReads(Set<String> tables, Map<String, Demand> demands) {
    private static final Set<String> JOINS = Set.of("JOIN", "OR", "BETWEEN", "CASE", "WITH", "UNION");
    private static final Set<String> AFTER_WHERE =
            Set.of("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "THEN", "RETURNING", "WINDOW");

    /** Parameters or literals, which become values of a column's type. */
    public interface Demand extends Function<Type, Optional<List<Value>>> {}

    public StatementReads {
        tables = Set.copyOf(tables);
        demands = Map.copyOf(demands);
    }

    /** Returns the values of which a column has one in each row that is read, if the statement demands that. */
    public Optional<List<Value>> values(String column, Type type) {
        Demand demand = demands.get(column.toLowerCase(Locale.ROOT));
        return demand == null ? Optional.empty() : demand.apply(type);
    }

    public static StatementReads of(String sql, DatabaseDialect dialect, SqlParameters parameters, SqlSchema schema) {
        List<Token> tokens = Lexer.tokens(sql, dialect == DatabaseDialect.POSTGRESQL);
        boolean dml = SqlNames.isDml(sql, dialect);
        long queries = tokens.stream().filter(token -> token.isWord("SELECT")).count();
        if (tokens.getFirst().isWord("INSERT") && queries == 0 && !mayIgnore(tokens)) {
            return new StatementReads(Set.of(), Map.of());
        }
        Set<String> tables = new HashSet<>(SqlNames.pathsIn(sql, dialect));
        tables.removeIf(name -> !schema.isTable(name));
        boolean simple = tables.size() == 1
                && !tokens.getFirst().isWord("INSERT")
                && queries == (dml ? 0 : 1)
                && IntStream.range(0, tokens.size()).noneMatch(at -> joins(tokens, at));
        Parameters named = (name, type) -> {
            String key = dialect == DatabaseDialect.POSTGRESQL ? "p" + name : name;
            // A value of another type is rounded or read in another way where it is compared.
            Type given = parameters.type(key);
            boolean other = parameters.isTyped(key)
                    && (given.getCode() != type.getCode()
                            || given.getArrayElementType().getCode()
                                    != type.getArrayElementType().getCode());
            return other ? Optional.empty() : Optional.of(parameters.value(key));
        };
        return new StatementReads(tables, simple ? demands(tokens, named) : Map.of());
    }

    private static boolean joins(List<Token> tokens, int at) {
        Token token = tokens.get(at);
        return token.isWord("UNNEST")
                ? !tokens.get(at - 1).isWord("IN")
                : token.kind() == Kind.WORD && JOINS.contains(token.upper());
    }

    /** Returns whether an INSERT may leave a row as it is, which it then has read. */
    private static boolean mayIgnore(List<Token> tokens) {
        return tokens.stream().anyMatch(token -> token.isWord("IGNORE") || token.isWord("CONFLICT"));
    }

    /** Returns the demands of a WHERE clause that is a conjunction. */
    private static Map<String, Demand> demands(List<Token> tokens, Parameters parameters) {
        Map<String, Demand> demands = new HashMap<>();
        int where = indexOfWhere(tokens);
        int item = where + 1;
        boolean more = where >= 0;
        int depth = 0;
        for (int at = item; more; at++) {
            Token token = tokens.get(at);
            depth += nesting(token);
            more = token.kind() != Kind.END && (depth > 0 || !ends(token));
            if (!more || (depth == 0 && token.isWord("AND"))) {
                addDemand(tokens.subList(item, at), parameters, demands);
                item = at + 1;
            }
        }
        return demands;
    }

    /** Returns 1 for an opening parenthesis or bracket, -1 for a closing one, and 0 for others. */
    private static int nesting(Token token) {
        boolean opens = token.isSymbol("(") || token.isSymbol("[") || token.isSymbol("{");
        boolean closes = token.isSymbol(")") || token.isSymbol("]") || token.isSymbol("}");
        return opens ? 1 : closes ? -1 : 0;
    }

    /** Returns the position of the only WHERE outside of parentheses after one table, or -1. */
    private static int indexOfWhere(List<Token> tokens) {
        int depth = 0;
        boolean from = false;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            depth += nesting(token);
            from |= token.isWord("FROM");
            if (from && depth == 0 && token.isSymbol(",")) {
                return -1;
            }
            if (depth == 0 && token.isWord("WHERE")) {
                return i;
            }
        }
        return -1;
    }

    private static boolean ends(Token token) {
        return token.isSymbol(";") || (token.kind() == Kind.WORD && AFTER_WHERE.contains(token.upper()));
    }

    private static void addDemand(List<Token> condition, Parameters parameters, Map<String, Demand> demands) {
        boolean qualified = condition.size() > 2 && condition.get(1).isSymbol(".");
        List<Token> plain = qualified ? condition.subList(2, condition.size()) : condition;
        if (plain.size() > 2 && plain.get(0).isName()) {
            demand(plain.subList(1, plain.size()), parameters)
                    .ifPresent(demand -> demands.put(plain.get(0).text().toLowerCase(Locale.ROOT), demand));
        }
    }

    /** Returns what follows the name of a column, if it is {@code = value} or one of a list or an array of values. */
    private static Optional<Demand> demand(List<Token> tokens, Parameters parameters) {
        if (tokens.size() == 2 && tokens.get(0).isSymbol("=")) {
            return value(tokens.get(1), parameters);
        }
        boolean any = tokens.get(0).isSymbol("=") && tokens.get(1).isWord("ANY");
        boolean in = tokens.get(0).isWord("IN");
        int open = any || (in && tokens.get(1).isWord("UNNEST")) ? 2 : 1;
        if (!(any || in) || tokens.size() < open + 3 || !isEnclosed(tokens, open, "(", ")")) {
            return Optional.empty();
        }
        List<Token> inside = tokens.subList(open + 1, tokens.size() - 1);
        return open == 1 ? list(inside, parameters) : array(inside, parameters);
    }

    private static boolean isEnclosed(List<Token> tokens, int from, String open, String close) {
        return tokens.get(from).isSymbol(open) && tokens.getLast().isSymbol(close);
    }

    private static Optional<Demand> array(List<Token> tokens, Parameters parameters) {
        Token first = tokens.getFirst();
        if (tokens.size() == 1 && first.kind() == Kind.PARAMETER) {
            return Optional.of(type -> parameters
                    .named(first.text(), Types.array(type))
                    .filter(Value::hasListValue)
                    .map(value -> value.getListValue().getValuesList()));
        }
        int open = first.isWord("ARRAY") ? 1 : 0;
        return tokens.size() > open + 2 && isEnclosed(tokens, open, "[", "]")
                ? list(tokens.subList(open + 1, tokens.size() - 1), parameters)
                : Optional.empty();
    }

    /** Returns the demand for one of the values, which commas separate. */
    private static Optional<Demand> list(List<Token> tokens, Parameters parameters) {
        List<Demand> values = new ArrayList<>();
        for (int at = 0; at < tokens.size(); at++) {
            if (at % 2 == 0) {
                value(tokens.get(at), parameters).ifPresent(values::add);
            } else if (!tokens.get(at).isSymbol(",")) {
                return Optional.empty();
            }
        }
        return values.size() == (tokens.size() + 1) / 2 ? Optional.of(type -> all(values, type)) : Optional.empty();
    }

    private static Optional<List<Value>> all(List<Demand> demands, Type type) {
        List<Value> values = new ArrayList<>();
        for (Demand demand : demands) {
            Optional<List<Value>> some = demand.apply(type);
            if (some.isEmpty()) {
                return some;
            }
            values.addAll(some.get());
        }
        return Optional.of(values);
    }

    private static Optional<Demand> value(Token token, Parameters parameters) {
        return switch (token.kind()) {
            case PARAMETER ->
                Optional.of(type -> parameters.named(token.text(), type).map(List::of));
            case NUMBER -> Optional.of(type -> literal(token, type, TypeCode.INT64));
            case STRING -> Optional.of(type -> literal(token, type, TypeCode.STRING));
            default -> Optional.empty();
        };
    }

    private static Optional<List<Value>> literal(Token token, Type type, TypeCode expected) {
        return type.getCode() == expected ? Optional.of(List.of(Values.string(token.text()))) : Optional.empty();
    }

    private interface Parameters {
        /** Returns the value of a parameter by its name in the statement, unless it has another type. */
        Optional<Value> named(String name, Type type);
    }
}
