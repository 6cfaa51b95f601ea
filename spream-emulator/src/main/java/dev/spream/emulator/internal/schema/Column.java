package dev.spream.emulator.internal.schema;

import com.google.spanner.v1.Type;

/**
 * A column of a table.
 *
 * @param name as declared
 * @param type the type in wire encoding
 * @param ordinalPosition position in the table, from 1
 * @param notNull whether NULL is refused
 * @param allowsCommitTimestamp whether a write may contain the placeholder of the commit timestamp
 * @param generated whether its value is computed from other columns
 */
public record Column(
        String name,
        Type type,
        int ordinalPosition,
        boolean notNull,
        boolean allowsCommitTimestamp,
        boolean generated) {

    /** A column that is written. */
    public Column(String name, Type type, int ordinalPosition, boolean notNull, boolean allowsCommitTimestamp) {
        this(name, type, ordinalPosition, notNull, allowsCommitTimestamp, false);
    }
}
