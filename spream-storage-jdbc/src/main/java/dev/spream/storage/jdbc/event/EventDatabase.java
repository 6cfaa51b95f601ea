package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.Database;
import java.time.Duration;
import javax.sql.DataSource;

/** The database of an event store, whose statements name the table by a placeholder. Safe for use by many threads. */
final class EventDatabase extends Database {
    private final EventTable table;

    EventDatabase(DataSource dataSource, EventTable table, Duration statementTimeout) {
        super(dataSource, table::in, statementTimeout);
        this.table = table;
    }

    EventTable table() {
        return table;
    }
}
