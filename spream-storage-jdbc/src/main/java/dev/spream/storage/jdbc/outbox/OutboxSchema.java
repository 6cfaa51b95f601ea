package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import javax.sql.DataSource;

/** The tables of an outbox, created where there are none, and brought into shape where earlier workers left some. */
final class OutboxSchema {
    private static final String LOCATION = "dev/spream/storage/jdbc/outbox";
    private static final int VERSION = 4;

    private OutboxSchema() {}

    static SchemaMigration in(DataSource dataSource, OutboxTables tables) {
        MigratedTables migrated = new MigratedTables(
                "the outbox '%s'".formatted(tables.outbox()),
                LOCATION,
                tables.historyTable(),
                VERSION,
                "migrate(true), in a configuration outbox.jdbc.migrate=true, as a worker or service that starts does unless"
                        + " told otherwise",
                true, // version 1 left columns of earlier ledgers NOT NULL, which version 4 makes up for
                tables.placeholders());
        return new SchemaMigration(dataSource, tables.schema(), migrated);
    }
}
