package dev.spream.testkit.memory;

/** Checks that a text is one JSON value (RFC 8259), and keeps nothing of it. */
final class JsonSyntax {
    private static final int MAX_DEPTH = 500;
    private static final int UNICODE_DIGITS = 4;

    private final String text;
    private int position;
    private int depth;

    private JsonSyntax(String text) {
        this.text = text;
    }

    /**
     * Refuses what is no JSON text.
     *
     * @throws IllegalArgumentException with the place where it goes wrong, and nothing of the text
     */
    static void require(String text) {
        JsonSyntax syntax = new JsonSyntax(text);
        syntax.value();
        if (syntax.position != text.length()) {
            throw syntax.malformed();
        }
    }

    private void value() {
        space();
        switch (peek()) {
            case '{' -> members('}', true);
            case '[' -> members(']', false);
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number();
        }
        space();
    }

    private void members(char end, boolean named) {
        if (++depth > MAX_DEPTH) {
            throw malformed();
        }
        position++;
        space();
        if (!take(end)) {
            do {
                if (named) {
                    name();
                }
                value();
            } while (take(','));
            expect(end);
        }
        depth--;
    }

    private void name() {
        space();
        string();
        space();
        expect(':');
    }

    private void string() {
        expect('"');
        while (!take('"')) {
            char c = next();
            if (c < ' ') {
                throw malformed();
            }
            if (c == '\\') {
                escape(next());
            }
        }
    }

    private void escape(char c) {
        if (c == 'u') {
            for (int i = 0; i < UNICODE_DIGITS; i++) {
                require(Character.digit(next(), 16) >= 0);
            }
            return;
        }
        require("\"\\/bfnrt".indexOf(c) >= 0);
    }

    private void number() {
        take('-');
        if (!take('0')) {
            digits();
        }
        if (take('.')) {
            digits();
        }
        if (take('e') || take('E')) {
            sign();
            digits();
        }
    }

    private void sign() {
        if (!take('+')) {
            take('-');
        }
    }

    private void digits() {
        require(isDigit(peek()));
        while (isDigit(peek())) {
            position++;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void literal(String word) {
        require(text.startsWith(word, position));
        position += word.length();
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            position++;
        }
    }

    /** The next character; NUL, which no JSON text has, at the end. */
    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private char next() {
        require(position < text.length());
        return text.charAt(position++);
    }

    private boolean take(char expected) {
        boolean there = peek() == expected;
        position += there ? 1 : 0;
        return there;
    }

    private void expect(char expected) {
        require(take(expected));
    }

    private void require(boolean wellFormed) {
        if (!wellFormed) {
            throw malformed();
        }
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException("the payload is no JSON text: it goes wrong at character " + position);
    }
}
