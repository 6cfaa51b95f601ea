package dev.spream.core.record;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON (RFC 8259), so that the core needs no JSON library. */
final class JsonText {
    private static final int MAX_DEPTH = 200;

    private final String text;
    private int position;
    private int depth;

    private JsonText(String text) {
        this.text = text;
    }

    /**
     * Returns the value in the text: null, {@link Boolean}, {@link BigDecimal}, {@link String}, {@link List} or {@link
     * Map}.
     *
     * @throws IllegalArgumentException if the text is not one JSON value; the message has the place, not the text
     */
    static @Nullable Object parse(String text) {
        JsonText parser = new JsonText(text);
        Object value = parser.value();
        parser.skipSpace();
        if (parser.position != text.length()) {
            throw parser.malformed("end of text");
        }
        return value;
    }

    static Optional<String> member(String object, String name) {
        JsonText parser = new JsonText(object);
        String found = null;
        parser.skipSpace();
        parser.expect('{');
        parser.skipSpace();
        if (!parser.take('}')) {
            do {
                boolean wanted = parser.name().equals(name);
                parser.skipSpace();
                int start = parser.position;
                parser.value();
                found = wanted ? object.substring(start, parser.position) : found;
                parser.skipSpace();
            } while (parser.take(','));
            parser.expect('}');
        }
        return Optional.ofNullable(found);
    }

    private @Nullable Object value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() {
        enter();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        int start = position++;
        skipSpace();
        if (!take('}')) {
            do {
                members.put(name(), value());
                skipSpace();
            } while (take(','));
            expect('}');
        }
        depth--;
        return new ParsedObject(members, text, start, position);
    }

    private String name() {
        skipSpace();
        String name = string();
        skipSpace();
        expect(':');
        return name;
    }

    private List<@Nullable Object> array() {
        enter();
        List<@Nullable Object> elements = new ArrayList<>();
        position++;
        skipSpace();
        if (!take(']')) {
            do {
                elements.add(value());
                skipSpace();
            } while (take(','));
            expect(']');
        }
        depth--;
        return Collections.unmodifiableList(elements);
    }

    private String string() {
        expect('"');
        int start = position;
        while (true) {
            char c = peek();
            if (c == '"') {
                return text.substring(start, position++);
            }
            if (c == '\\') {
                return stringWithEscapes(start);
            }
            if (c < ' ') {
                throw malformed("an escaped control character");
            }
            position++;
        }
    }

    private String stringWithEscapes(int start) {
        StringBuilder string = new StringBuilder(text.length() - start).append(text, start, position);
        while (true) {
            char c = peek();
            position++;
            switch (c) {
                case '"' -> {
                    return string.toString();
                }
                case '\\' -> string.append(escaped());
                default -> {
                    if (c < ' ') {
                        throw malformed("an escaped control character");
                    }
                    string.append(c);
                }
            }
        }
    }

    private char escaped() {
        char c = peek();
        position++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw malformed("an escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            if (!HexFormat.isHexDigit(peek())) {
                throw malformed("four hexadecimal digits");
            }
            code = code * 16 + HexFormat.fromHexDigit(peek());
            position++;
        }
        return (char) code;
    }

    private BigDecimal number() {
        int start = position;
        take('-');
        if (!take('0')) {
            digits();
        }
        if (take('.')) {
            digits();
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            digits();
        }
        return ParsedNumber.of(text.substring(start, position));
    }

    private void digits() {
        int start = position;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') {
            position++;
        }
        if (position == start) {
            throw malformed("a value");
        }
    }

    private @Nullable Boolean literal(String literal, @Nullable Boolean value) {
        if (!text.startsWith(literal, position)) {
            throw malformed("a value");
        }
        position += literal.length();
        return value;
    }

    private void enter() {
        if (++depth > MAX_DEPTH) {
            throw malformed("at most " + MAX_DEPTH + " levels");
        }
    }

    private void skipSpace() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private char peek() {
        if (position >= text.length()) {
            throw malformed("more text");
        }
        return text.charAt(position);
    }

    private boolean take(char c) {
        if (position < text.length() && text.charAt(position) == c) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!take(c)) {
            throw malformed("'" + c + "'");
        }
    }

    private IllegalArgumentException malformed(String expected) {
        return new IllegalArgumentException(
                "malformed JSON: expected %s at character %d of %d".formatted(expected, position, text.length()));
    }

    /** Appends the value as compact JSON. */
    static void append(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case String string -> appendString(out, string);
            case BigDecimal number -> out.append(number);
            case Double number when !Double.isFinite(number) -> throw notJson(number);
            case Float number when !Float.isFinite(number) -> throw notJson(number);
            case Number number -> out.append(number);
            case Boolean bool -> out.append(bool);
            case Map<?, ?> map -> appendObject(out, map);
            case List<?> list -> appendArray(out, list);
            case Object other -> throw new IllegalArgumentException("no JSON for " + other.getClass());
        }
    }

    private static IllegalArgumentException notJson(Number number) {
        return new IllegalArgumentException("no JSON for " + number);
    }

    private static void appendObject(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            appendString(out, (String) entry.getKey());
            out.append(':');
            append(out, entry.getValue());
            if (entries.hasNext()) {
                out.append(',');
            }
        }
        out.append('}');
    }

    private static void appendArray(StringBuilder out, List<?> list) {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            append(out, list.get(i));
        }
        out.append(']');
    }

    static void appendString(StringBuilder out, String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || (Character.isSurrogate(c) && !isPaired(string, i))) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isPaired(String string, int i) {
        char c = string.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 < string.length() && Character.isLowSurrogate(string.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(string.charAt(i - 1));
    }
}
