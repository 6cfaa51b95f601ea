package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.servers.DeadNetwork;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits of work that get no answer: the call fails in time, and the work, which may be committed, is not run again. */
@Timeout(60)
final class LostCommitIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 251, 3);
    private static final LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));
    private static final Duration BOUND = Duration.ofSeconds(15); // several times the time limits of a commit

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void on_postgresql(boolean arrives) throws Exception {
        try (PostgresLockNamespaces namespaces = new PostgresLockNamespaces(LockStrategy.ADVISORY);
                DeadNetwork network = DeadNetwork.before(namespaces.address());
                HikariDataSource far = namespaces.openBehind(network)) {
            fail(namespaces.pool(), far, namespaces.schema(SPACE), network, arrives);
        }
    }

    @Test
    void on_mariadb() throws Exception {
        MySqlServer server = MySqlServer.embedded();
        try (MySqlLockNamespaces namespaces = new MySqlLockNamespaces(server);
                DeadNetwork network = DeadNetwork.before(server.address());
                HikariDataSource far = namespaces.openBehind(MySqlDriver.MARIADB, network)) {
            fail(namespaces.pool(), far, namespaces.schema(SPACE), network, true);
        }
    }

    /** @param arrives whether the server receives the commit, whose answer is lost */
    private static void fail(
            HikariDataSource near, HikariDataSource far, String schema, DeadNetwork network, boolean arrives)
            throws Exception {
        String table = schema + ".worked";
        execute(near, "CREATE TABLE %s (value INT)".formatted(table));
        AtomicInteger runs = new AtomicInteger();
        try (JdbcLockStore nearStore =
                        JdbcLockStore.builder(near).schema(schema).build();
                HierarchicalLocks<Connection> others = HierarchicalLocks.over(nearStore);
                JdbcLockStore store = JdbcLockStore.builder(far)
                        .schema(schema)
                        .statementTimeout(Duration.ofSeconds(1))
                        .build();
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            FutureTask<Boolean> call = new FutureTask<>(() -> locks.transact(USER, connection -> {
                runs.incrementAndGet();
                execute(connection, "INSERT INTO %s VALUES (1)".formatted(table));
                if (arrives) {
                    network.dieAfter("COMMIT");
                } else {
                    network.die();
                }
                return true;
            }));
            Thread.ofVirtual().name("lost-commit").start(call); // no interrupt ends a driver's wait for an answer
            try {
                assertThat(call)
                        .failsWithin(BOUND)
                        .withThrowableOfType(ExecutionException.class)
                        .havingCause()
                        .isInstanceOf(LockConnectionException.class)
                        .withMessageContaining("which may have taken effect");
            } finally {
                network.revive();
            }
            assertThat(runs).hasValue(1);
            others.acquire(USER, LockWait.atMost(Duration.ofSeconds(30))).close();
        }
        assertThat(count(near, table)).isEqualTo(arrives ? 1 : 0);
    }

    private static int count(HikariDataSource pool, String table) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            execute(connection, sql);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
