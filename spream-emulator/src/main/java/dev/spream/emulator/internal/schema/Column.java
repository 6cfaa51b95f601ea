package dev.spream.emulator.internal.schema;

import com.google.spanner.v1.Type;

/**
 * A column of a table.
 *
 * @param name as declared
 * @param type as it travels
 * @param ordinalPosition place in the table, from 1
 * @param notNull whether NULL is refused
 * @param allowsCommitTimestamp whether a write may ask for the commit timestamp
 */
public record Column(String name, Type type, int ordinalPosition, boolean notNull, boolean allowsCommitTimestamp) {}
