package dev.spream.storage.jdbc.mirror;

import dev.spream.api.spi.NonRetryableException;
import java.nio.charset.StandardCharsets;

/**
 * The name of a table of the mirror, in its original case.
 *
 * @param schema the schema of the table
 * @param table its name there
 */
record TableName(String schema, String table) implements Comparable<TableName> {
    /** The maximum length; the server truncates longer identifiers, so that two could become one. */
    private static final int MAX_BYTES = 63;

    TableName {
        requireIdentifier(schema, "schema");
        requireIdentifier(table, "table");
    }

    /**
     * Returns the target of a table of Spanner: a table of a named schema is in the schema of that name, others are in
     * the default schema.
     */
    static TableName of(String spannerTable, String defaultSchema) {
        int dot = spannerTable.indexOf('.');
        return dot < 0
                ? new TableName(defaultSchema, spannerTable)
                : new TableName(spannerTable.substring(0, dot), spannerTable.substring(dot + 1));
    }

    /** @throws NonRetryableException if the server would truncate the name */
    static String requireIdentifier(String name, String what) {
        if (!isIdentifier(name)) {
            throw new NonRetryableException(
                    "the %s '%s' has a name of %d bytes, but PostgreSQL supports 1 to %d; filter it out, or give it a shorter name"
                            .formatted(what, name, bytes(name), MAX_BYTES));
        }
        return name;
    }

    /** @throws IllegalArgumentException if it is not a valid name of a schema */
    static String requireSchema(String name) {
        if (!isIdentifier(name)) {
            throw new IllegalArgumentException(
                    "expected the name of a schema, 1 to %d bytes, got %d".formatted(MAX_BYTES, bytes(name)));
        }
        return name;
    }

    private static boolean isIdentifier(String name) {
        return !name.isEmpty() && bytes(name) <= MAX_BYTES && name.indexOf('\0') < 0;
    }

    private static int bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }

    static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    String quoted() {
        return quoted(schema) + "." + quoted(table);
    }

    @Override
    public int compareTo(TableName other) {
        return quoted().compareTo(other.quoted());
    }

    /** Returns the quoted name, for messages and statements. */
    @Override
    public String toString() {
        return quoted();
    }
}
