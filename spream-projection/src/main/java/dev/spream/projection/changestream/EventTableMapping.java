package dev.spream.projection.changestream;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The mapping of a table with one row for each event: its name and those of its columns.
 *
 * @param name the table's name as Spanner sends it: in the case of its declaration, qualified with its named schema
 * @param columns the names of columns, in the case of their declaration; a column that is absent here has its
 *     {@linkplain Column#defaultName() default name}
 */
public record EventTableMapping(String name, Map<Column, String> columns) {

    /** The columns of a row that describe its event. */
    public enum Column {
        /** STRING, unique for each event. */
        EVENT_ID("event_id", true),
        /** STRING. */
        AGGREGATE_ID("aggregate_id", true),
        /** STRING. */
        EVENT_TYPE("event_type", true),
        /** JSON, or STRING that contains a JSON text. */
        EVENT_DATA("event_data", true),
        /** INT64: the version of the aggregate, counted from 1 without gaps. */
        EVENT_VERSION("event_version", true),
        /** TIMESTAMP. The commit timestamp takes its place if it is null or the table lacks the column. */
        OCCURRED_AT("occurred_at", false),
        /** STRING. */
        CORRELATION_ID("correlation_id", false),
        /** STRING. */
        USER_ID("user_id", false),
        /** STRING. */
        SOURCE_SERVICE("source_service", false),
        /** STRING. */
        IDEMPOTENCY_KEY("idempotency_key", false);

        private final String defaultName;
        private final boolean required;

        Column(String defaultName, boolean required) {
            this.defaultName = defaultName;
            this.required = required;
        }

        public String defaultName() {
            return defaultName;
        }

        /**
         * Returns whether each event needs a value in this column. Other columns may be null, or missing from the
         * table.
         */
        public boolean required() {
            return required;
        }
    }

    public EventTableMapping {
        requireName("name of the events table", name);
        columns = Map.copyOf(columns);
        columns.forEach((column, its) -> requireName("column for " + column.defaultName(), its));
    }

    /** Returns the mapping of a table whose columns have their default names. */
    public static EventTableMapping named(String name) {
        return new EventTableMapping(name, Map.of());
    }

    /** Returns this mapping with another name for a column. */
    public EventTableMapping with(Column column, String itsName) {
        Map<Column, String> all = new EnumMap<>(Column.class);
        all.putAll(columns);
        all.put(column, itsName);
        return new EventTableMapping(name, all);
    }

    /** Returns the name of the column. */
    public String nameOf(Column column) {
        return Optional.ofNullable(columns.get(column)).orElse(column.defaultName());
    }

    private static void requireName(String what, String name) {
        if (requireNonNull(name, what).isBlank()) {
            throw new IllegalArgumentException("the %s is blank".formatted(what));
        }
    }
}
