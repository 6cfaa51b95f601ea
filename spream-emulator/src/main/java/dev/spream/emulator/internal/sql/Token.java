package dev.spream.emulator.internal.sql;

import java.util.Locale;

/**
 * A token of SQL.
 *
 * @param kind its kind
 * @param text its meaning: a name without quotes, the value of a string, a number or punctuation as written
 * @param start its start offset in the source
 * @param end its end offset in the source
 */
public record Token(Kind kind, String text, int start, int end) {
    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        BYTES,
        NUMBER,
        PARAMETER,
        SYMBOL,
        END
    }

    /** Returns whether the token is this keyword; quoted names never are. */
    public boolean isWord(String keyword) {
        return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
    }

    public boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    public boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }

    String upper() {
        return text.toUpperCase(Locale.ROOT);
    }
}
