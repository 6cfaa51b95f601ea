package dev.spream.emulator.internal.sql;

/**
 * A piece of SQL text.
 *
 * @param text the piece without its quotes
 * @param position where it begins in the text, from 0
 */
public record SqlToken(Kind kind, String text, int position) {
    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        NUMBER,
        PARAMETER,
        SYMBOL,
        END
    }

    public boolean isWord(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    public boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    public boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }
}
