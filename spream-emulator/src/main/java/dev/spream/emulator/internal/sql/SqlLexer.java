package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;

/** Cuts SQL text into tokens, without comments and white space. Never fails: what it does not know is a symbol. */
final class SqlLexer {
    private final Dialect dialect;
    private final String sql;
    private final List<SqlToken> tokens = new ArrayList<>();
    private int at;

    private SqlLexer(Dialect dialect, String sql) {
        this.dialect = dialect;
        this.sql = sql;
    }

    /** The tokens, with an {@link Kind#END} at the end. */
    static List<SqlToken> tokens(Dialect dialect, String sql) {
        SqlLexer lexer = new SqlLexer(dialect, sql);
        while (lexer.skipBlanks()) {
            lexer.token();
        }
        lexer.tokens.add(new SqlToken(Kind.END, "", sql.length()));
        return lexer.tokens;
    }

    private boolean skipBlanks() {
        int before;
        do {
            before = at;
            while (at < sql.length() && Character.isWhitespace(sql.charAt(at))) {
                at++;
            }
            if (sql.startsWith("--", at) || (dialect == Dialect.GOOGLE_STANDARD_SQL && sql.startsWith("#", at))) {
                at = endOf("\n");
            }
            if (sql.startsWith("/*", at)) {
                at = endOf("*/");
            }
        } while (at > before);
        return at < sql.length();
    }

    private int endOf(String terminator) {
        int found = sql.indexOf(terminator, at);
        return found < 0 ? sql.length() : found + terminator.length();
    }

    private void token() {
        char c = sql.charAt(at);
        if (c == dialect.quote()) {
            quoted(Kind.QUOTED_NAME, c);
        } else if (c == '\'' || c == '"') {
            quoted(Kind.STRING, c);
        } else if (isWordStart(c)) {
            add(Kind.WORD, at, endOfWord(at));
        } else if (Character.isDigit(c) || (c == '-' && isDigitAt(at + 1))) {
            add(Kind.NUMBER, at, endOfWord(at + 1));
        } else if ((c == '@' || c == '$') && at + 1 < sql.length() && isWordPart(sql.charAt(at + 1))) {
            add(Kind.PARAMETER, at + 1, endOfWord(at + 1));
        } else {
            add(Kind.SYMBOL, at, at + (sql.startsWith("=>", at) ? 2 : 1));
        }
    }

    private void add(Kind kind, int from, int to) {
        tokens.add(new SqlToken(kind, sql.substring(from, to), at));
        at = to;
    }

    private void quoted(Kind kind, char quote) {
        int start = at++;
        StringBuilder text = new StringBuilder();
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (c == quote && !(at < sql.length() && sql.charAt(at) == quote)) {
                break;
            }
            boolean escaped = c == quote || (c == '\\' && dialect == Dialect.GOOGLE_STANDARD_SQL);
            text.append(escaped && at < sql.length() ? sql.charAt(at++) : c);
        }
        tokens.add(new SqlToken(kind, text.toString(), start));
    }

    private int endOfWord(int from) {
        int end = from;
        while (end < sql.length() && isWordPart(sql.charAt(end))) {
            end++;
        }
        return end;
    }

    private boolean isDigitAt(int index) {
        return index < sql.length() && Character.isDigit(sql.charAt(index));
    }

    private static boolean isWordStart(char c) {
        return Character.isLetter(c) || c == '_';
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || Character.isDigit(c);
    }
}
