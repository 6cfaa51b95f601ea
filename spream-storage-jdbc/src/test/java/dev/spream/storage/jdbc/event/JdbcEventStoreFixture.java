package dev.spream.storage.jdbc.event;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.event.EventStore;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.event.EventStoreFixture;

/** Two stores over one table, as two processes would have them. */
final class JdbcEventStoreFixture implements EventStoreFixture {
    private final TestDatabase database = TestEvents.database();
    private final HikariDataSource elsewhere = database.open();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());
    private final JdbcEventStore another = JdbcEventStore.create(elsewhere);

    @Override
    public EventStore store() {
        return store;
    }

    @Override
    public EventStore anotherStore() {
        return another;
    }

    @Override
    public void close() {
        store.close();
        another.close();
        elsewhere.close();
        database.close();
    }
}
