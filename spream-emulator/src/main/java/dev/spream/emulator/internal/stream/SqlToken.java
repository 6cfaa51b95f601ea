package dev.spream.emulator.internal.stream;

/**
 * A piece of SQL text.
 *
 * @param text the piece without its quotes
 * @param position where it begins in the text, from 0
 */
record SqlToken(Kind kind, String text, int position) {
    enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        NUMBER,
        PARAMETER,
        SYMBOL,
        END
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }
}
