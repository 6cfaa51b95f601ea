package dev.spream.projection.event;

import dev.spream.core.record.Json;
import java.util.Optional;

/** Cuts the text of a member out of a text that is known to be a JSON object. */
final class JsonMember {
    private final String text;
    private int position;

    private JsonMember(String text) {
        this.text = text;
    }

    /** The value of the member as it is written; of the last one, if it is there more than once. */
    static String text(String object, String name) {
        return new JsonMember(object)
                .find(name)
                .orElseThrow(() -> new IllegalArgumentException("member %s is missing".formatted(name)));
    }

    private Optional<String> find(String name) {
        Optional<String> found = Optional.empty();
        skipSpace();
        do {
            position++; // the brace or the comma
            skipSpace();
            if (text.charAt(position) == '}') {
                return found;
            }
            boolean wanted = name.equals(Json.parse(value()));
            position++; // the colon
            skipSpace();
            String value = value();
            found = wanted ? Optional.of(value) : found;
        } while (text.charAt(position) == ',');
        return found;
    }

    /** The value that begins here; stops at what follows it. */
    private String value() {
        int start = position;
        int depth = 0;
        do {
            switch (text.charAt(position)) {
                case '{', '[' -> depth++;
                case '}', ']' -> depth--;
                case '"' -> skipString();
                default -> {}
            }
            position++;
        } while (depth > 0 || !isEnd(text.charAt(position)));
        int end = position;
        skipSpace();
        return text.substring(start, end);
    }

    private void skipString() {
        do {
            position += text.charAt(position) == '\\' ? 2 : 1;
        } while (text.charAt(position) != '"');
    }

    private static boolean isEnd(char c) {
        return c == ',' || c == ':' || c == '}' || c == ']' || isSpace(c);
    }

    private void skipSpace() {
        while (isSpace(text.charAt(position))) {
            position++;
        }
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
