package dev.spream.storage.jdbc.event;

import static java.util.Objects.requireNonNull;

import dev.spream.storage.jdbc.internal.SchemaName;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where the events are. What belongs to them is called like their table, with something behind.
 *
 * @param schema the schema that has the table: a lower-case identifier
 * @param name a lower-case identifier, {@value #MAX_LENGTH} characters at most
 */
record EventTable(SchemaName schema, String name) {
    static final String DEFAULT_SCHEMA = "spream";
    static final String DEFAULT_NAME = "events";

    /** Names of PostgreSQL have 63 bytes, and those of the indexes are this name with something behind. */
    static final int MAX_LENGTH = 45;

    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,%d}".formatted(MAX_LENGTH - 1));
    private static final Pattern PLACE = Pattern.compile("@(events(?:_position_seq|_mark|_flush)?)\\b");

    EventTable {
        requireNonNull(schema, "schema");
        requireName(name);
    }

    static String requireName(String name) {
        if (!IDENTIFIER.matcher(name).matches() || name.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    ("malformed table name '%s': expected lower-case letters, digits and underscores, %d at most, not"
                                    + " starting with a digit or pg_")
                            .formatted(name, MAX_LENGTH));
        }
        return name;
    }

    /** The statement, with quoted names wherever it says {@code @events}, with or without something known behind. */
    String in(String sql) {
        return PLACE.matcher(sql)
                .replaceAll(place ->
                        "\"%s\".\"%s%s\"".formatted(schema, name, place.group(1).substring(DEFAULT_NAME.length())));
    }

    /** As migrations name them. */
    Map<String, String> placeholders() {
        return Map.of(
                "events",
                name,
                "barrier",
                String.valueOf(EventLocks.BARRIER),
                "sleepers",
                String.valueOf(EventLocks.SLEEPERS),
                "channel",
                EventLocks.channel(this));
    }

    String historyTable() {
        return name + "_history";
    }

    /** With its schema, for people. */
    @Override
    public String toString() {
        return schema + "." + name;
    }
}
