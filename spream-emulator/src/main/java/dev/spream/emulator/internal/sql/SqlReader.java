package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.SqlToken.Kind;
import java.util.List;

/** Walks over the tokens of one statement. */
final class SqlReader {
    private final Dialect dialect;
    private final String sql;
    private final List<SqlToken> tokens;
    private int next;

    SqlReader(Dialect dialect, String sql) {
        this.dialect = dialect;
        this.sql = sql;
        this.tokens = SqlLexer.tokens(dialect, sql);
    }

    Dialect dialect() {
        return dialect;
    }

    String sql() {
        return sql;
    }

    List<SqlToken> tokens() {
        return tokens;
    }

    SqlToken peek() {
        return tokens.get(next);
    }

    SqlToken take() {
        SqlToken token = tokens.get(next);
        next = Math.min(next + 1, tokens.size() - 1);
        return token;
    }

    /** Takes these words, one after the other, or nothing. */
    boolean takeWords(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (next + i >= tokens.size() || !tokens.get(next + i).isWord(words[i])) {
                return false;
            }
        }
        next += words.length;
        return true;
    }

    boolean takeSymbol(String symbol) {
        boolean found = peek().isSymbol(symbol);
        if (found) {
            next++;
        }
        return found;
    }

    /** Takes a name, folded as the dialect does; the caller has looked that there is one. */
    String takeName() {
        SqlToken token = take();
        return token.kind() == Kind.QUOTED_NAME ? token.text() : dialect.fold(token.text());
    }

    /** Whether nothing but an optional semicolon is left. */
    boolean atEnd() {
        takeSymbol(";");
        return peek().kind() == Kind.END;
    }
}
