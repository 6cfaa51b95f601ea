package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionStorageContract;
import dev.spream.core.partition.PartitionStorageFixture;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class JdbcPartitionStorageIT extends PartitionStorageContract {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static TestDatabase database;
    private static HikariDataSource otherProcess;

    @BeforeAll
    static void open() {
        database = new TestDatabase();
        otherProcess = database.open();
    }

    @AfterAll
    static void close() {
        otherProcess.close();
        database.close();
    }

    @Override
    protected PartitionStorageFixture createFixture() {
        return new Fixture("orders %d".formatted(COUNT.incrementAndGet()));
    }

    private static final class Fixture implements PartitionStorageFixture {
        private final PartitionStorage storage;
        private final PartitionStorage anotherConnection;
        private final PartitionStorage anotherSubscription;

        Fixture(String subscription) {
            storage = JdbcPartitionStorage.create(database.dataSource(), subscription);
            anotherConnection = JdbcPartitionStorage.create(otherProcess, subscription);
            anotherSubscription = JdbcPartitionStorage.create(database.dataSource(), "not " + subscription);
        }

        @Override
        public PartitionStorage storage() {
            return storage;
        }

        @Override
        public PartitionStorage anotherConnection() {
            return anotherConnection;
        }

        @Override
        public PartitionStorage anotherSubscription() {
            return anotherSubscription;
        }

        @Override
        public void passTime(Duration time) {
            database.passTime(time);
        }

        @Override
        public void close() {
            storage.close();
            anotherConnection.close();
            anotherSubscription.close();
        }
    }
}
