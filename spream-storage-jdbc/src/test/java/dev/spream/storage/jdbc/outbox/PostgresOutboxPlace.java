package dev.spream.storage.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.time.Duration;

/** A database of its own in PostgreSQL, whose clock is advanced. */
record PostgresOutboxPlace(TestDatabase database) implements OutboxPlace {
    PostgresOutboxPlace() {
        this(TestOutbox.databaseWithTables());
    }

    @Override
    public HikariDataSource dataSource() {
        return database.dataSource();
    }

    @Override
    public OutboxDatabase tables() {
        return new PostgresOutboxDatabase(dataSource(), OutboxTables.defaults(), Duration.ofSeconds(5));
    }

    @Override
    public void passTime(Duration time) {
        database.passTime(time);
    }

    @Override
    public void close() {
        database.close();
    }
}
