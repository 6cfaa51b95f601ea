package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;
import dev.spream.testkit.partition.RowLockContract;
import dev.spream.testkit.partition.RowLockFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

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

    /** One locked row holds up no other. */
    @Nested
    final class RowLocks extends RowLockContract {
        @Override
        protected RowLockFixture createFixture() {
            return new Fixture("orders %d".formatted(COUNT.incrementAndGet()));
        }
    }

    private static final class Fixture implements RowLockFixture {
        private final String subscription;
        private final PartitionStorage storage;
        private final PartitionStorage anotherConnection;
        private final PartitionStorage anotherSubscription;

        Fixture(String subscription) {
            this.subscription = subscription;
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
        public RowLock lockRow(PartitionToken token) throws SQLException {
            Connection session = otherProcess.getConnection();
            session.setAutoCommit(false);
            try (PreparedStatement statement = session.prepareStatement(
                    "SELECT FROM spream.partitions WHERE subscription = ? AND token = ? FOR UPDATE")) {
                statement.setString(1, subscription);
                statement.setString(2, token.value());
                statement.execute();
            }
            return () -> {
                try (session) {
                    session.rollback();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            };
        }

        @Override
        public void close() {
            storage.close();
            anotherConnection.close();
            anotherSubscription.close();
        }
    }
}
