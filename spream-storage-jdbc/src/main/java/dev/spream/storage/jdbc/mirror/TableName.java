package dev.spream.storage.jdbc.mirror;

import dev.spream.api.spi.NonRetryableException;
import java.nio.charset.StandardCharsets;

/**
 * A table of the mirror, its case kept.
 *
 * @param schema the schema that has it
 * @param table its name there
 */
record TableName(String schema, String table) implements Comparable<TableName> {
    /** Longer identifiers are cut by the server, so that two may become one. */
    private static final int MAX_BYTES = 63;

    TableName {
        requireIdentifier(schema, "schema");
        requireIdentifier(table, "table");
    }

    /** Where a table of Spanner goes: one of a named schema to the schema of that name, any other one to the default. */
    static TableName of(String spannerTable, String defaultSchema) {
        int dot = spannerTable.indexOf('.');
        return dot < 0
                ? new TableName(defaultSchema, spannerTable)
                : new TableName(spannerTable.substring(0, dot), spannerTable.substring(dot + 1));
    }

    /** @throws NonRetryableException if the server cannot tell the name from others */
    static String requireIdentifier(String name, String what) {
        if (!isIdentifier(name)) {
            throw new NonRetryableException(
                    "the %s '%s' has a name of %d bytes, PostgreSQL takes 1 to %d; filter it out, or give it a shorter name"
                            .formatted(what, name, bytes(name), MAX_BYTES));
        }
        return name;
    }

    /** @throws IllegalArgumentException if no schema can be called that */
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

    /** As messages name it, and statements too. */
    @Override
    public String toString() {
        return quoted();
    }
}
