package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.Token.Kind;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Reads tokens from left to right, for parsers. Confined to one thread. */
public final class TokenCursor {
    private final String sql;
    private final boolean postgres;
    private final List<Token> tokens;
    private int at;

    public TokenCursor(String sql, DatabaseDialect dialect) {
        this(sql, Dialect.of(dialect));
    }

    public TokenCursor(String sql, Dialect dialect) {
        this.sql = sql;
        this.postgres = dialect == Dialect.POSTGRESQL;
        this.tokens = Lexer.tokens(sql, postgres);
    }

    public String sql() {
        return sql;
    }

    public Token peek() {
        return tokens.get(at);
    }

    /** Returns the token this many places after the next one, or before it if the number is negative. */
    public Token peek(int ahead) {
        return tokens.get(Math.clamp(at + ahead, 0, tokens.size() - 1));
    }

    public Token next() {
        Token token = tokens.get(at);
        if (token.kind() != Kind.END) {
            at++;
        }
        return token;
    }

    /** Returns the number of the next token. */
    public int position() {
        return at;
    }

    public void skip(int count) {
        at = Math.min(at + count, tokens.size() - 1);
    }

    /** Skips up to a symbol, with it. */
    public void skipTo(String symbol) {
        while (!atEnd() && !acceptSymbol(symbol)) {
            at++;
        }
    }

    public boolean atEnd() {
        return peek().kind() == Kind.END;
    }

    /** Consumes these keywords if all of them come next; returns whether they did. */
    public boolean acceptWords(String... keywords) {
        for (int i = 0; i < keywords.length; i++) {
            if (!peek(i).isWord(keywords[i])) {
                return false;
            }
        }
        at += keywords.length;
        return true;
    }

    public boolean acceptSymbol(String symbol) {
        if (!peek().isSymbol(symbol)) {
            return false;
        }
        at++;
        return true;
    }

    public void expectWords(String... keywords) {
        if (!acceptWords(keywords)) {
            throw syntaxError("Expected " + String.join(" ", keywords));
        }
    }

    public void expectSymbol(String symbol) {
        if (!acceptSymbol(symbol)) {
            throw syntaxError("Expected \"" + symbol + "\"");
        }
    }

    /** Returns a name, with the named schema that it may be in, as {@code schema.name}. */
    public String expectName() {
        String name = expectPart();
        while (acceptSymbol(".")) {
            boolean unnamed = postgres && (name.equals("public") || name.equals("spanner"));
            name = unnamed ? expectPart() : name + "." + expectPart();
        }
        return name;
    }

    /** Returns the name of a column, without its table's. */
    public String expectColumn() {
        String name = expectPart();
        return acceptSymbol(".") ? expectColumn() : name;
    }

    private String expectPart() {
        Token token = next();
        if (!token.isName()) {
            at--;
            throw syntaxError("Expected a name");
        }
        return token.text();
    }

    /** Returns whether only an optional semicolon is left, and consumes it. */
    public boolean acceptEnd() {
        acceptSymbol(";");
        return atEnd();
    }

    public void expectEnd() {
        if (!acceptEnd()) {
            throw syntaxError("Expected end of statement");
        }
    }

    /** Consumes a parenthesised list of names; {@code ASC} and {@code DESC} after a name are left to the caller. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        expectSymbol("(");
        do {
            names.add(expectName());
        } while (acceptSymbol(","));
        expectSymbol(")");
        return names;
    }

    /** Consumes a parenthesised group with its contents and returns its source. */
    public String skipGroup() {
        int start = peek().start();
        expectSymbol("(");
        int depth = 1;
        while (depth > 0) {
            Token token = next();
            if (token.kind() == Kind.END) {
                throw syntaxError("Expected \")\"");
            }
            depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
        }
        return sql.substring(start, tokens.get(at - 1).end());
    }

    /** Consumes a parenthesised group and returns the source within it. */
    public String group() {
        String group = skipGroup();
        return group.substring(1, group.length() - 1).strip();
    }

    /** Consumes an expression up to the token that ends it, outside of parentheses, and returns its source. */
    public String expression(Predicate<Token> end) {
        int start = peek().start();
        int last = start;
        while (!atEnd() && !end.test(peek())) {
            if (peek().isSymbol("(")) {
                skipGroup();
            } else {
                next();
            }
            last = tokens.get(at - 1).end();
        }
        if (last == start) {
            throw syntaxError("Expected an expression");
        }
        return sql.substring(start, last);
    }

    public long integer() {
        boolean negative = acceptSymbol("-");
        if (!peek().text().matches("\\d{1,18}")) {
            throw syntaxError("Expected an integer");
        }
        long value = Long.parseLong(next().text());
        return negative ? -value : value;
    }

    public StatusRuntimeException syntaxError(String expected) {
        Token found = peek();
        String what = found.kind() == Kind.END ? "end of statement" : "\"" + found.text() + "\"";
        return Errors.invalidArgument(
                "Syntax error on line %d, column %d: %s but got %s", line(found), column(found), expected, what);
    }

    /** Returns the line of the text that contains a token, from 1. */
    public long line(Token token) {
        return 1
                + sql.substring(0, token.start()).chars().filter(c -> c == '\n').count();
    }

    public int column(Token token) {
        return token.start() - sql.lastIndexOf('\n', Math.max(0, token.start() - 1));
    }
}
