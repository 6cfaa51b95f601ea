package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import javax.sql.DataSource;

/** The table of the events with its triggers, created where there is none. */
final class EventSchema {
    private static final String LOCATION = "dev/spream/storage/jdbc/event";
    private static final int VERSION = 1;

    private EventSchema() {}

    static SchemaMigration in(DataSource dataSource, EventTable table) {
        MigratedTables migrated = new MigratedTables(
                "the event store '%s'".formatted(table.name()),
                LOCATION,
                table.historyTable(),
                VERSION,
                "migrate(true), in a configuration events.jdbc.migrate=true, as a program that starts does unless told"
                        + " otherwise",
                table.placeholders());
        return new SchemaMigration(dataSource, table.schema(), migrated);
    }
}
