package dev.spream.storage.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.time.Duration;

/** A database with the tables of an outbox, empty at first, whose time can be advanced. */
interface OutboxPlace extends AutoCloseable {
    HikariDataSource dataSource();

    OutboxDatabase tables();

    void passTime(Duration time);

    @Override
    void close();
}
