package dev.spream.core.record;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON of any kind of value (RFC 8259), for code that passes values on. {@link JsonObject} is for code that reads
 * members.
 */
public final class Json {
    private Json() {}

    /**
     * Returns the value in the text: null, {@link Boolean}, {@link java.math.BigDecimal}, {@link String}, {@link
     * java.util.List} or {@link java.util.Map}.
     *
     * @throws IllegalArgumentException if the text is not one JSON value, or has more than 200 levels; the message has the
     *     place, not the text
     */
    public static @Nullable Object parse(String text) {
        return JsonText.parse(text);
    }

    /**
     * Returns the value of a member as it is written; of the last one, if the object has it more than once; empty if it
     * has none.
     *
     * @throws IllegalArgumentException if the text is not a JSON object; the message has the place, not the text
     */
    public static Optional<String> member(String object, String name) {
        return JsonText.member(object, name);
    }

    /**
     * Returns the value as compact JSON.
     *
     * @param value of the types named above, or any finite {@link Number}
     */
    public static String text(@Nullable Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    /** Appends the value as {@link #text} returns it. */
    public static void append(StringBuilder out, @Nullable Object value) {
        JsonText.append(out, value);
    }
}
