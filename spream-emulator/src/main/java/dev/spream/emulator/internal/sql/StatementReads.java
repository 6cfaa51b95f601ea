package dev.spream.emulator.internal.sql;

import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The tables that a query or a DML statement reads, and the values that its condition demands of columns of its only
 * table.
 *
 * @param tables the names of tables and views, in lower case; none for an INSERT of values
 * @param equalities by the name of the column in lower case: a value of which only rows with it are read
 */
public record StatementReads(Set<String> tables, Map<String, Operand> equalities) {
    private static final Set<String> JOINS = Set.of("JOIN", "UNNEST", "OR", "BETWEEN", "CASE", "WITH", "UNION");
    private static final Set<String> AFTER_WHERE =
            Set.of("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "THEN", "RETURNING", "WINDOW");

    /** A parameter or a literal, which becomes a value of a column's type. */
    public interface Operand extends Function<Type, Optional<Value>> {}

    public StatementReads {
        tables = Set.copyOf(tables);
        equalities = Map.copyOf(equalities);
    }

    /** Returns the value that a column has in all rows that are read, if the statement demands one. */
    public Optional<Value> equal(String column, Type type) {
        Operand operand = equalities.get(column.toLowerCase(Locale.ROOT));
        return operand == null ? Optional.empty() : operand.apply(type);
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
                && tokens.stream().noneMatch(token -> token.kind() == Kind.WORD && JOINS.contains(token.upper()));
        return new StatementReads(tables, simple ? equalities(tokens, parameters, dialect) : Map.of());
    }

    /** Returns whether an INSERT may leave a row as it is, which it then has read. */
    private static boolean mayIgnore(List<Token> tokens) {
        return tokens.stream().anyMatch(token -> token.isWord("IGNORE") || token.isWord("CONFLICT"));
    }

    /** Returns the parts of the form {@code column = value} of a WHERE clause that is a conjunction. */
    private static Map<String, Operand> equalities(
            List<Token> tokens, SqlParameters parameters, DatabaseDialect dialect) {
        Map<String, Operand> equalities = new HashMap<>();
        int where = indexOfWhere(tokens);
        int item = where + 1;
        boolean more = where >= 0;
        int depth = 0;
        for (int at = item; more; at++) {
            Token token = tokens.get(at);
            depth += nesting(token);
            more = token.kind() != Kind.END && (depth > 0 || !ends(token));
            if (!more || (depth == 0 && token.isWord("AND"))) {
                addEquality(tokens.subList(item, at), parameters, dialect, equalities);
                item = at + 1;
            }
        }
        return equalities;
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

    private static void addEquality(
            List<Token> condition, SqlParameters parameters, DatabaseDialect dialect, Map<String, Operand> equalities) {
        boolean qualified = condition.size() == 5 && condition.get(1).isSymbol(".");
        List<Token> plain = qualified ? condition.subList(2, 5) : condition;
        if (plain.size() == 3 && plain.get(0).isName() && plain.get(1).isSymbol("=")) {
            operand(plain.get(2), parameters, dialect)
                    .ifPresent(operand -> equalities.put(plain.get(0).text().toLowerCase(Locale.ROOT), operand));
        }
    }

    private static Optional<Operand> operand(Token token, SqlParameters parameters, DatabaseDialect dialect) {
        return switch (token.kind()) {
            case PARAMETER -> {
                Value value =
                        parameters.value(dialect == DatabaseDialect.POSTGRESQL ? "p" + token.text() : token.text());
                yield Optional.of(type -> Optional.of(value));
            }
            case NUMBER -> Optional.of(type -> literal(token, type, TypeCode.INT64));
            case STRING -> Optional.of(type -> literal(token, type, TypeCode.STRING));
            default -> Optional.empty();
        };
    }

    private static Optional<Value> literal(Token token, Type type, TypeCode expected) {
        return type.getCode() == expected ? Optional.of(Values.string(token.text())) : Optional.empty();
    }
}
