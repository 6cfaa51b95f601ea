package dev.spream.projection.changestream;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A table of events, a row each.
 *
 * @param name as Spanner sends it: in the case in which it was declared, with its named schema if it is in one
 * @param columns the names of columns, in the case in which they were declared; those that are not named have {@linkplain
 *     Column#defaultName() the usual ones}
 */
public record EventTableMapping(String name, Map<Column, String> columns) {

    /** The columns of a row that describe its event. */
    public enum Column {
        /** STRING; another one for every event. */
        EVENT_ID("event_id", true),
        /** STRING. */
        AGGREGATE_ID("aggregate_id", true),
        /** STRING. */
        EVENT_TYPE("event_type", true),
        /** JSON, or STRING with a JSON text in it. */
        EVENT_DATA("event_data", true),
        /** INT64; 1, 2, 3 … within the aggregate. */
        EVENT_VERSION("event_version", true),
        /** TIMESTAMP. The commit timestamp is used where there is none. */
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

        /** Returns whether a row without it is no event. The others may be null, or missing from the table. */
        public boolean required() {
            return required;
        }
    }

    public EventTableMapping {
        requireName("name of the events table", name);
        columns = Map.copyOf(columns);
        columns.forEach((column, its) -> requireName("column for " + column.defaultName(), its));
    }

    /** A table whose columns have the usual names. */
    public static EventTableMapping named(String name) {
        return new EventTableMapping(name, Map.of());
    }

    /** The same table, with another name for a column. */
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
