package dev.spream.storage.spanner;

import java.util.regex.Pattern;

/**
 * The name of a change stream. It becomes part of a function's name in query texts, which cannot be bound, so nothing but
 * an identifier passes.
 *
 * @param value a letter, then up to 127 letters, digits and underscores
 * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#identifiers">Spanner: identifiers</a>
 */
public record StreamName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,127}");

    /**
     * The name.
     *
     * @throws IllegalArgumentException if it cannot be that of a change stream; the message quotes it and says what can
     */
    public StreamName {
        if (!IDENTIFIER.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "malformed change stream name '%s': expected a letter, then up to 127 letters, digits and underscores"
                            .formatted(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
