package dev.spream.emulator.internal.sql;

import java.util.Locale;

/**
 * A piece of SQL.
 *
 * @param kind what it is
 * @param text its meaning: a name without quotes, the value of a string, a number or punctuation as written
 * @param start where it starts in the source
 * @param end where it ends in the source
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

    /** Returns whether it is this keyword, quoted names never are. */
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
