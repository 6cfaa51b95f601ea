package dev.spream.storage.jdbc.event;

import static java.util.Objects.requireNonNull;

import dev.spream.storage.jdbc.internal.MigratedTables;
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
    static final String DEFAULT_NAME = "events";

    /** Names of PostgreSQL have 63 bytes, and those of the indexes are this name with something behind. */
    static final int MAX_LENGTH = 45;

    private static final Pattern PLACE = Pattern.compile("@(events(?:_position_seq|_mark|_flush)?)\\b");

    EventTable {
        requireNonNull(schema, "schema");
        requireName(name);
    }

    static String requireName(String name) {
        return SchemaName.requireIdentifier("table", name, MAX_LENGTH);
    }

    /** The statement, with quoted names wherever it says {@code @events}, with or without something known behind. */
    String in(String sql) {
        return PLACE.matcher(sql)
                .replaceAll(place ->
                        "\"%s\".\"%s%s\"".formatted(schema, name, place.group(1).substring(DEFAULT_NAME.length())));
    }

    /** The table with its triggers, created where there is none. */
    MigratedTables migrated() {
        return new MigratedTables(
                "the event store '%s'".formatted(name),
                "dev/spream/storage/jdbc/event",
                name + "_history",
                1,
                "migrate(true), in a configuration events.jdbc.migrate=true, as a program that starts does unless told"
                        + " otherwise",
                Map.of(
                        "events",
                        name,
                        "barrier",
                        String.valueOf(EventLocks.BARRIER),
                        "sleepers",
                        String.valueOf(EventLocks.SLEEPERS),
                        "channel",
                        EventLocks.channel(this)));
    }

    /** With its schema, for people. */
    @Override
    public String toString() {
        return schema + "." + name;
    }
}
