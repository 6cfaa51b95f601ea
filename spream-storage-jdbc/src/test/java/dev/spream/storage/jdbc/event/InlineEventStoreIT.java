package dev.spream.storage.jdbc.event;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.event.EventStore;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.event.EventStoreContract;
import dev.spream.testkit.event.EventStoreFixture;
import org.junit.jupiter.api.Tag;

/** A store with an inline projection keeps the contract of event stores. */
@Tag("proof")
final class InlineEventStoreIT extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new Fixture();
    }

    private static final class Fixture implements EventStoreFixture {
        private final TestDatabase database = Histories.database();
        private final HikariDataSource elsewhere = database.open();
        private final JdbcEventStore store = open(database.dataSource());
        private final JdbcEventStore another = open(elsewhere);

        private static JdbcEventStore open(HikariDataSource dataSource) {
            return JdbcEventStore.builder(dataSource).inline(new Histories()).build();
        }

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
}
