package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.servers.DeadNetwork;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The ends of waits and handles whose server cannot be reached any more. */
final class DeadNetworkIT {
    private static final Duration BOUND =
            Duration.ofSeconds(30); // 13 s where nothing else runs, 45 s and more without limits
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 251, 3);
    private static final LockTarget FIRST = LockTarget.user("u1");
    private static final LockTarget SECOND = LockTarget.user("u2");
    private static final LockTarget THIRD = LockTarget.user("u3");

    private static final String MARIADB_WAITERS =
            "SELECT count(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'";
    private static final String POSTGRES_WAITERS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND database ="
            + " (SELECT oid FROM pg_database WHERE datname = current_database())";

    /** At the same time, because they take as long as a user's timeout should be. */
    @Test
    void interrupted_waits_limited_waits_and_open_stores_end_in_time() throws Exception {
        try (ExecutorService servers = Executors.newFixedThreadPool(3)) {
            Future<?> mysql = servers.submit(() -> endInTime(MySqlDriver.MYSQL));
            Future<?> mariadb = servers.submit(() -> endInTime(MySqlDriver.MARIADB));
            Future<?> postgres = servers.submit(DeadNetworkIT::endInTimeOnPostgres);
            mysql.get();
            mariadb.get();
            postgres.get();
        }
    }

    private static @Nullable Void endInTime(MySqlDriver driver) throws Exception {
        MySqlServer server = MySqlServer.embedded();
        try (MySqlLockNamespaces namespaces = new MySqlLockNamespaces(server);
                DeadNetwork network = DeadNetwork.before(server.address());
                HikariDataSource pool = namespaces.openBehind(driver, network)) {
            endInTime(namespaces.pool(), pool, namespaces.schema(SPACE), network, MARIADB_WAITERS);
            return null;
        }
    }

    private static @Nullable Void endInTimeOnPostgres() throws Exception {
        try (PostgresLockNamespaces namespaces = new PostgresLockNamespaces(LockStrategy.ADVISORY);
                DeadNetwork network = DeadNetwork.before(namespaces.address());
                HikariDataSource pool = namespaces.openBehind(network)) {
            endInTime(namespaces.pool(), pool, namespaces.schema(SPACE), network, POSTGRES_WAITERS);
            return null;
        }
    }

    private static void endInTime(
            DataSource near, DataSource far, String schema, DeadNetwork network, String waitersQuery) throws Exception {
        try (JdbcLockStore nearStore = store(near, schema);
                HierarchicalLocks<Connection> others = HierarchicalLocks.over(nearStore);
                LockHandle holder = others.acquire(LockRequest.exclusive(FIRST, SECOND, THIRD))) {
            JdbcLockStore store = store(far, schema);
            HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
            LockHandle handle = locks.acquire(LockRequest.exclusive(LockTarget.user("u4")));
            Call interrupted = Call.start(() -> locks.acquire(LockRequest.exclusive(FIRST)));
            Call limited = Call.start(
                    () -> locks.acquire(LockRequest.exclusive(SECOND), LockWait.atMost(Duration.ofSeconds(20))));
            Call closed = Call.start(() -> locks.acquire(LockRequest.exclusive(THIRD)));
            interrupted.awaitWaiters(near, waitersQuery);

            network.die();
            long start = System.nanoTime();
            interrupted.thread.interrupt();
            assertThat(interrupted.failure(start)).isInstanceOf(InterruptedException.class);

            long closing = System.nanoTime();
            locks.close();
            store.close();
            assertThat(Duration.ofNanos(System.nanoTime() - closing)).isLessThan(BOUND);
            assertThat(closed.failure(closing)).isInstanceOf(LockException.class);
            assertThat(limited.failure(closing)).isInstanceOf(LockException.class);
            network.close(); // so that the pool ends at once
            assertThat(handle.isHeld()).isFalse();
        }
    }

    private static JdbcLockStore store(DataSource dataSource, String schema) {
        return JdbcLockStore.builder(dataSource)
                .schema(schema)
                .space(SPACE)
                .handles(8) // so that three calls wait in the database at a time
                .build();
    }

    /** A call that waits for locks, and is to fail. */
    private static final class Call {
        private final CompletableFuture<LockHandle> result = new CompletableFuture<>();
        private final Thread thread;

        private Call(Callable<LockHandle> call) {
            this.thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    result.complete(call.call());
                } catch (Throwable t) {
                    result.completeExceptionally(t);
                }
            });
        }

        static Call start(Callable<LockHandle> call) {
            return new Call(call);
        }

        /** Returns when three wait, as the database says; MariaDB looks no more often than every tenth of a second. */
        void awaitWaiters(DataSource dataSource, String query) throws Exception {
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            int waiters = 0;
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                while (waiters < 3 && System.nanoTime() < end) {
                    assertThat(thread.join(Duration.ofMillis(200)))
                            .as("returned")
                            .isFalse();
                    try (ResultSet row = statement.executeQuery(query)) {
                        row.next();
                        waiters = row.getInt(1);
                    }
                }
            }
            assertThat(waiters).as("those that wait").isGreaterThanOrEqualTo(3);
        }

        /** Returns the exception of the call, within the bound from that time on. */
        Throwable failure(long nanoTime) throws Exception {
            long left = nanoTime + BOUND.toNanos() - System.nanoTime();
            try {
                throw new AssertionError("the call returned " + result.get(left, TimeUnit.NANOSECONDS));
            } catch (ExecutionException e) {
                return requireNonNull(e.getCause());
            }
        }
    }
}
