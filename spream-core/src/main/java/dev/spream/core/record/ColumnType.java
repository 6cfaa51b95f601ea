package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

/**
 * A column of the table that a data change record is about.
 *
 * @param name the column's name
 * @param type the column's type
 * @param isPrimaryKey whether the column is part of the primary key
 * @param ordinalPosition the column's place in the table, from 1
 */
public record ColumnType(String name, SpannerType type, boolean isPrimaryKey, long ordinalPosition) {
    public ColumnType {
        requireNonNull(name, "name");
        requireNonNull(type, "type");
    }
}
