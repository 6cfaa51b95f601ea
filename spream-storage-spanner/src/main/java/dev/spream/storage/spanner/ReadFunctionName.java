package dev.spream.storage.spanner;

import java.util.regex.Pattern;

/**
 * The name of a function that reads a change stream, without its schema. It becomes part of query texts, which cannot be
 * bound, so only an identifier is accepted.
 *
 * @param value a letter, then up to 299 letters, digits and underscores: a prefix, a stream and a placement
 */
record ReadFunctionName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,299}");

    /**
     * Validates the name.
     *
     * @throws IllegalArgumentException if it is not an identifier; the message quotes it and has the expected form
     */
    ReadFunctionName {
        if (!IDENTIFIER.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "malformed read function name '%s': expected a letter, then up to 299 letters, digits and underscores"
                            .formatted(value));
        }
    }
}
