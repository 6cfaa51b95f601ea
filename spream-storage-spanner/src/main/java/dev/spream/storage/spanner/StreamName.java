package dev.spream.storage.spanner;

import java.util.regex.Pattern;

/**
 * The name of a change stream. It becomes part of a function's name in query texts, which cannot be bound, so only an
 * identifier is accepted.
 *
 * @param value a letter, then up to 127 letters, digits and underscores
 * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#identifiers">Spanner:
 *     identifiers</a>
 */
public record StreamName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,127}");

    /**
     * Validates the name.
     *
     * @throws IllegalArgumentException if it is not a valid name of a change stream; the message quotes it and has the
     *     expected form
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
