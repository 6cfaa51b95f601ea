package dev.spream.storage.jdbc.event;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Sha256;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The table of the events. The names of its sequence and of its other tables are its name with a suffix.
 *
 * @param schema the schema that has the table: a lower-case identifier
 * @param name a lower-case identifier, {@value #MAX_LENGTH} characters at most
 */
record EventTable(SchemaName schema, String name) {
    static final String DEFAULT_NAME = "events";

    /**
     * The maximum length of the name: PostgreSQL's names have 63 bytes, and the indexes are named after the table with
     * a suffix.
     */
    static final int MAX_LENGTH = 45;

    /*
     * Advisory locks about events are pairs of numbers: the purpose of the lock, and the table, by its object id. Locks
     * of rows and keys elsewhere in spream have single numbers, which PostgreSQL keeps apart from pairs.
     */

    /** The lock that transactions which insert hold shared until they end. */
    static final int BARRIER = 0x73704576;

    /** The lock that readers hold shared while they wait to be notified. */
    static final int SLEEPERS = 0x7370457a;

    /**
     * The lock of one aggregate, held exclusively by an append that lost to another and retries; the second number is a
     * hash of the aggregate.
     */
    static final int AGGREGATE = 0x73704561;

    /** The lock that appends with inline projections hold shared until they end, and a rebuild of one exclusively. */
    static final int INLINE = 0x73704569;

    private static final int HASH_BYTES = 8;
    private static final Pattern PLACE = Pattern.compile("@(events(?:_position_seq|_mark|_flush)?)\\b");

    EventTable {
        requireNonNull(schema, "schema");
        requireName(name);
    }

    static String requireName(String name) {
        return SchemaName.requireIdentifier("table", name, MAX_LENGTH);
    }

    /** Returns the statement with quoted names in place of {@code @events}, with or without a known suffix. */
    String in(String sql) {
        return PLACE.matcher(sql)
                .replaceAll(place ->
                        "\"%s\".\"%s%s\"".formatted(schema, name, place.group(1).substring(DEFAULT_NAME.length())));
    }

    MigratedTables migrated() {
        return new MigratedTables(
                "the event store '%s'".formatted(name),
                "dev/spream/storage/jdbc/event",
                name + "_history",
                1,
                "migrate(true), in a configuration events.jdbc.migrate=true, which is the default of a program"
                        + " that starts",
                false,
                Map.of(
                        "events",
                        name,
                        "barrier",
                        String.valueOf(BARRIER),
                        "sleepers",
                        String.valueOf(SLEEPERS),
                        "channel",
                        channel()));
    }

    /**
     * Returns the PostgreSQL channel on which sleeping readers are notified: an identifier, however long the table's
     * name is.
     */
    String channel() {
        return "spream_events_" + HexFormat.of().formatHex(Sha256.of(toString()), 0, HASH_BYTES);
    }

    /** Returns the name with its schema, as shown in messages. */
    @Override
    public String toString() {
        return schema + "." + name;
    }
}
