package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxMessage;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The tables of an outbox. The tables of segments, workers, audit and history have the name of the table of entries
 * with a suffix.
 *
 * @param schema the schema that has the tables: a lower-case identifier
 * @param outbox the table of the entries: a lower-case identifier, {@value #MAX_LENGTH} characters at most
 * @param ledger the table of the idempotency keys, like {@code outbox}; outboxes do not share one
 */
public record OutboxTables(SchemaName schema, String outbox, String ledger) {
    static final String DEFAULT_OUTBOX = "outbox_orders";
    static final String DEFAULT_LEDGER = "idempo_ledger";

    /** Names of PostgreSQL have 63 bytes, and those of the indexes are these names with a suffix. */
    static final int MAX_LENGTH = 45;

    /** An expression that identifies the server process, the database and the table. */
    static final String SERVER =
            "concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), current_database(), '@outbox'::regclass::oid)";

    private static final int CHANNEL_DIGITS = 16;
    private static final Pattern PLACE = Pattern.compile("@(outbox|ledger|segments|workers|audit)\\b");

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
        return new OutboxTables(new SchemaName(TablesBuilder.DEFAULT_SCHEMA), DEFAULT_OUTBOX, DEFAULT_LEDGER);
    }

    static String requireTable(String name) {
        return SchemaName.requireIdentifier("table", name, MAX_LENGTH);
    }

    /**
     * Returns the statement with the quoted name of the table in place of {@code @outbox}, {@code @ledger},
     * {@code @segments}, {@code @workers} or {@code @audit}.
     */
    public String in(String sql) {
        return PLACE.matcher(sql).replaceAll(place -> "\"%s\".\"%s\"".formatted(schema, table(place)));
    }

    private String table(MatchResult place) {
        return switch (place.group(1)) {
            case "outbox" -> outbox;
            case "ledger" -> ledger;
            default -> outbox + "_" + place.group(1);
        };
    }

    MigratedTables migrated() {
        return new MigratedTables(
                "the outbox '%s'".formatted(outbox),
                "dev/spream/storage/jdbc/outbox",
                outbox + "_history",
                6,
                "migrate(true), in a configuration outbox.jdbc.migrate=true, as a worker or service that starts does by"
                        + " default",
                true, // version 1 left columns of earlier ledgers NOT NULL, which version 4 corrects
                Map.of("outbox", outbox, "ledger", ledger));
    }

    /**
     * Returns the PostgreSQL channel for notifications of the outbox, a valid identifier even if the table names are
     * long.
     */
    String channel() {
        String digest = OutboxMessage.digest(toString());
        return "spream_outbox_" + digest.substring(digest.indexOf(':') + 1).substring(0, CHANNEL_DIGITS);
    }

    /** Returns the table of entries with its schema, as shown in messages. */
    @Override
    public String toString() {
        return schema + "." + outbox;
    }
}
