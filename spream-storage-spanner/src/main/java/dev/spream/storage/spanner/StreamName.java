package dev.spream.storage.spanner;

import java.util.regex.Pattern;

/**
 * The name of a change stream. It becomes part of a function's name in query texts, which cannot be bound, so nothing but
 * an identifier passes.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#identifiers">Spanner: identifiers</a>
 */
record StreamName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,127}");

    StreamName {
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
