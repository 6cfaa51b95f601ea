package dev.spream.storage.jdbc.internal;

import java.util.regex.Pattern;

/**
 * The schema that holds the tables. It becomes part of statements, where nothing can be bound, so nothing but a plain
 * lower-case identifier passes.
 *
 * @param value a letter or underscore, then letters, digits and underscores, 63 in all
 */
public record SchemaName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    public SchemaName {
        if (!IDENTIFIER.matcher(value).matches() || value.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    ("malformed schema name '%s': expected lower-case letters, digits and underscores, 63 at most, not"
                                    + " starting with a digit or pg_")
                            .formatted(value));
        }
    }

    /** The statement, with this schema's quoted name and a dot wherever it says {@code @}. */
    public String in(String sql) {
        return sql.replace("@", '"' + value + "\".");
    }

    @Override
    public String toString() {
        return value;
    }
}
