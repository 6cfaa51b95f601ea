package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The names in a statement or an expression. */
public final class SqlNames {
    /** The keywords with which an operand ends. */
    private static final Set<String> ENDS = Set.of("END", "NULL", "TRUE", "FALSE");

    private SqlNames() {}

    /** Returns the names and keywords in an expression or a query, in lower case. */
    public static Set<String> namesIn(String sql, DatabaseDialect dialect) {
        Set<String> names = new HashSet<>();
        TokenCursor cursor = new TokenCursor(sql, dialect);
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            if (token.isName() && (!cursor.peek().isSymbol("(") || token.isWord("SELECT"))) {
                names.add(token.text().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    /** Returns the names in a statement that may be tables, in lower case, with their named schemas. */
    public static Set<String> pathsIn(String sql, DatabaseDialect dialect) {
        Set<String> paths = new HashSet<>();
        TokenCursor cursor = new TokenCursor(sql, dialect);
        boolean afterDot = false;
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            if (token.isName() && !afterDot) {
                String name = token.text().toLowerCase(Locale.ROOT);
                boolean path = cursor.peek().isSymbol(".") && cursor.peek(1).isName();
                String second = path ? cursor.peek(1).text().toLowerCase(Locale.ROOT) : "";
                paths.add(name);
                paths.add(name.equals("public") ? second : name + "." + second);
            }
            afterDot = token.isSymbol(".");
        }
        return paths;
    }

    /** Returns an expression with some of its names replaced. */
    public static String replaced(
            String expression, DatabaseDialect dialect, Function<String, Optional<String>> replacement) {
        TokenCursor cursor = new TokenCursor(expression, dialect);
        StringBuilder replaced = new StringBuilder();
        int end = 0;
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            Optional<String> other =
                    token.isName() && !cursor.peek().isSymbol("(") ? replacement.apply(token.text()) : Optional.empty();
            if (other.isPresent()) {
                replaced.append(expression, end, token.start()).append(other.get());
                end = token.end();
            }
        }
        return replaced.append(expression.substring(end)).toString();
    }

    /** Returns whether the statement is DML, by its first word. */
    public static boolean isDml(String sql, DatabaseDialect dialect) {
        Token first = new TokenCursor(sql, dialect).peek();
        return first.isWord("INSERT") || first.isWord("UPDATE") || first.isWord("DELETE");
    }

    /** Returns the names that are declared after {@code AS}, in lower case, and those of common table expressions. */
    static Set<String> aliases(TokenCursor cursor) {
        Set<String> aliases = new HashSet<>();
        Deque<Token> groups = new ArrayDeque<>();
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            if (token.isWord("AS") && cursor.peek().kind() == Kind.WORD) {
                aliases.add(cursor.peek().text().toLowerCase(Locale.ROOT));
            }
            if (cursor.peek().isSymbol("(")) {
                groups.push(token);
            }
            boolean named = token.isSymbol(")") && !groups.isEmpty();
            Token before = named ? groups.pop() : token;
            if (named && cursor.peek().isWord("AS") && cursor.peek(1).isSymbol("(")) {
                // The columns of a common table expression.
                aliases.add(before.text().toLowerCase(Locale.ROOT));
            }
        }
        return aliases;
    }

    /** Returns the names that the statement declares for columns and tables, with or without {@code AS}, in lower case. */
    static Set<String> declared(TokenCursor cursor) {
        Set<String> names = new HashSet<>();
        boolean afterOperand = false;
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            boolean name = isPlainName(token);
            if (name && afterOperand) {
                names.add(token.text().toLowerCase(Locale.ROOT));
            }
            boolean returns = token.isWord("RETURN") || token.isWord("RETURNING");
            afterOperand = (name && !returns) || token.isWord("AS") || endsOperand(token);
        }
        return names;
    }

    /** Returns whether the token is a name and no keyword. */
    static boolean isPlainName(Token token) {
        return token.isName() && !(token.kind() == Kind.WORD && SqlTranslator.KEYWORDS.contains(token.upper()));
    }

    static boolean endsOperand(Token token) {
        return switch (token.kind()) {
            case STRING, BYTES, NUMBER, PARAMETER -> true;
            case SYMBOL -> token.isSymbol(")") || token.isSymbol("]");
            case WORD -> ENDS.contains(token.upper());
            default -> false;
        };
    }
}
