package dev.spream.storage.jdbc.internal;

import java.util.regex.Pattern;

/**
 * The schema that holds the tables. It becomes part of statements, where it cannot be bound, so only a plain lower-case
 * identifier is accepted.
 *
 * @param value a letter or underscore, then letters, digits and underscores, 63 in all
 */
public record SchemaName(String value) {
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]*");

    public SchemaName {
        requireIdentifier("schema", value, 63);
    }

    /** Returns the name, if it is a valid identifier of that length. */
    public static String requireIdentifier(String what, String name, int maxLength) {
        if (name.length() > maxLength || !IDENTIFIER.matcher(name).matches() || name.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    ("malformed %s name '%s': expected lower-case letters, digits and underscores, %d at most, not"
                                    + " starting with a digit or pg_")
                            .formatted(what, name, maxLength));
        }
        return name;
    }

    /** Returns the statement, with this schema's quoted name and a dot in place of each {@code @}. */
    public String in(String sql) {
        return sql.replace("@", '"' + value + "\".");
    }

    @Override
    public String toString() {
        return value;
    }
}
