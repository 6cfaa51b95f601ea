package dev.spream.storage.jdbc.outbox.dialect;

import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxMessage;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.util.Map;

/**
 * The tables of an outbox. The tables of segments, workers, audit and history have the name of the table of entries
 * with a suffix.
 *
 * @param schema the schema that has the tables; in MySQL and MariaDB a database
 * @param outbox the table of the entries: a lower-case identifier, {@value #MAX_LENGTH} characters at most
 * @param ledger the table of the idempotency keys, like {@code outbox}; outboxes do not share one
 */
public record OutboxTables(String schema, String outbox, String ledger) {
    public static final String DEFAULT_OUTBOX = "outbox_orders";
    public static final String DEFAULT_LEDGER = "idempo_ledger";

    /** Names of PostgreSQL have 63 bytes, and those of the indexes are these names with a suffix. */
    public static final int MAX_LENGTH = 45;

    /** The setting that creates and migrates the tables. */
    public static final String HOW_TO_MIGRATE =
            "migrate(true), in a configuration outbox.jdbc.migrate=true, as a worker or service that starts does by default";

    private static final int CHANNEL_DIGITS = 16;

    public OutboxTables {
        requireNonNull(schema, "schema");
        requireTable(outbox);
        requireTable(ledger);
        if (ledger.startsWith(outbox)) {
            throw new IllegalArgumentException(
                    "ledger table '%s' must not begin with '%s', the prefix of the tables of the outbox"
                            .formatted(ledger, outbox));
        }
    }

    /** Returns the default names of the tables. */
    public static OutboxTables defaults() {
        return new OutboxTables(TablesBuilder.DEFAULT_SCHEMA, DEFAULT_OUTBOX, DEFAULT_LEDGER);
    }

    /** Returns the name, if it is valid for a table of an outbox. */
    public static String requireTable(String name) {
        return SchemaName.requireIdentifier("table", name, MAX_LENGTH);
    }

    String table(String place) {
        return switch (place) {
            case "outbox" -> outbox;
            case "ledger" -> ledger;
            default -> outbox + "_" + place;
        };
    }

    /** Returns the tables as created and migrated in PostgreSQL. */
    public MigratedTables migrated() {
        return new MigratedTables(
                "the outbox '%s'".formatted(outbox),
                "dev/spream/storage/jdbc/outbox/postgresql",
                outbox + "_history",
                6,
                HOW_TO_MIGRATE,
                true, // version 1 left columns of earlier ledgers NOT NULL, which version 4 corrects
                Map.of("outbox", outbox, "ledger", ledger));
    }

    /**
     * Returns the PostgreSQL channel for notifications of the outbox, a valid identifier even if the table names are
     * long.
     */
    public String channel() {
        String digest = OutboxMessage.digest(toString());
        return "spream_outbox_" + digest.substring(digest.indexOf(':') + 1).substring(0, CHANNEL_DIGITS);
    }

    /** Returns the table of entries with its schema, as shown in messages. */
    @Override
    public String toString() {
        return schema + "." + outbox;
    }
}
