package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The round trips of locks on PostgreSQL, by the driver's log, and what they leave in sessions. A pooler of transactions
 * such as PgBouncer gives the session to another client with the next transaction, so they leave nothing.
 */
@ParameterizedClass
@EnumSource
@Timeout(60)
final class PostgresSessionsIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 100, 3);
    private static final LockRequest RESOURCE = LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1"));
    private static final int CONNECTIONS = 4;

    /** The pool tests a connection that was idle for longer, which is a round trip. */
    private static final String UNTESTED_MILLIS = "com.zaxxer.hikari.aliveBypassWindowMs";

    private final PostgresLockNamespaces namespaces;
    private final HikariDataSource pool;
    private final JdbcLockStore store;

    PostgresSessionsIT(LockStrategy strategy) {
        namespaces = new PostgresLockNamespaces(strategy);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(namespaces.pool().getJdbcUrl() + "&prepareThreshold=0");
        config.setMaximumPoolSize(CONNECTIONS);
        System.setProperty(UNTESTED_MILLIS, "60000");
        pool = new HikariDataSource(config);
        System.clearProperty(UNTESTED_MILLIS);
        store = JdbcLockStore.builder(pool)
                .schema(namespaces.schema(SPACE))
                .handles(2)
                .build();
    }

    @AfterEach
    void close() {
        store.close();
        pool.close();
        namespaces.close();
    }

    @Test
    void locks_of_three_levels_take_one_round_trip_and_their_release_another() throws Exception {
        try (HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = pool.getConnection()) {
            own.setAutoCommit(false);
            locks.acquire(RESOURCE).close(); // opens the connection
            List<LockHandle> handles = new ArrayList<>();
            assertThat(roundTrips(() -> handles.add(locks.acquire(RESOURCE)))).isEqualTo(1);
            assertThat(roundTrips(() -> handles.getFirst().close())).isEqualTo(1);
            assertThat(roundTrips(() -> locks.transactWithoutResult(RESOURCE, connection -> execute(connection))))
                    .as("locks, work and commit")
                    .isEqualTo(3);
            assertThat(roundTrips(() -> locks.in(own).acquire(RESOURCE))).isEqualTo(1);
            own.rollback();
        }
    }

    @Test
    void sessions_are_as_they_were_after_locks_that_were_free_waited_for_and_timed_out() throws Exception {
        Set<String> before = leftInSessions(CONNECTIONS - 1); // the store has the other one
        assertThat(before).hasSize(1);
        try (HierarchicalLocks<Connection> locks = HierarchicalLocks.builder(store)
                .reportInterval(Duration.ofMillis(10))
                .build()) {
            try (LockHandle handle = locks.acquire(RESOURCE)) {
                assertThat(handle.epoch()).isPositive();
                assertThat(handle.isHeld()).isTrue();
                LockWait briefly = LockWait.atMost(Duration.ofMillis(100));
                assertThatThrownBy(() -> locks.acquireAsync(RESOURCE, briefly).get())
                        .hasCauseInstanceOf(LockTimeoutException.class);
                var waiting = locks.acquireAsync(RESOURCE).thenAccept(LockHandle::close);
                namespaces.awaitBlocked();
                handle.close();
                waiting.get();
            }
            locks.transactWithoutResult(RESOURCE, connection -> execute(connection));
        }
        store.close();
        assertThat(leftInSessions(CONNECTIONS)).isEqualTo(before);
    }

    @Test
    void the_callers_lock_timeout_is_as_before_after_a_wait() throws Exception {
        List<PlannedLock> two = Stream.of(1, 2)
                .map(bucket -> new PlannedLock(new LockKey(0, bucket), LockMode.EXCLUSIVE))
                .toList();
        PostgresLockFixture fixture = new PostgresLockFixture(namespaces);
        Connection holder = fixture.beginOwn();
        Connection own = fixture.beginOwn();
        for (String timeout : List.of("0", "37s")) {
            ask(own, "SELECT set_config('lock_timeout', '%s', true)".formatted(timeout));
            store.tryLock(holder, two.subList(0, 1));
            try (BlockedCall call = BlockedCall.start(
                    fixture, own, () -> store.lock(own, two, PostgresLockFixture.in(Duration.ofDays(1_000))))) {
                call.awaitBlocked();
                holder.rollback();
                call.awaitEnd();
            }
            assertThat(ask(own, "SHOW lock_timeout")).isEqualTo(timeout);
            own.rollback();
        }
        assertThat(ask(own, "SHOW lock_timeout")).isEqualTo("0");
        fixture.endOwn(own);
        fixture.endOwn(holder);
    }

    /** Returns the settings, named statements and advisory locks of that many sessions of the pool. */
    private Set<String> leftInSessions(int sessions) throws SQLException {
        Set<String> left = new TreeSet<>();
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            all.add(pool.getConnection());
            left.add(ask(all.getLast(), """
                    SELECT concat_ws(', ',
                        (SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_settings
                            WHERE source = 'session' AND name NOT LIKE 'transaction_%'),
                        (SELECT count(*) FROM pg_prepared_statements) || ' named statements',
                        (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' locks',
                        nullif(current_setting('spream.waits', true), ''),
                        nullif(current_setting('spream.statement_timeout', true), ''))"""));
        }
        for (Connection connection : all) {
            connection.close();
        }
        return left;
    }

    /** A call of the locks. */
    private interface Call {
        void run() throws Exception;
    }

    /** Returns how often this thread waits for an answer of the server, according to the driver's log. */
    private static int roundTrips(Call call) throws Exception {
        Logger driver = Logger.getLogger("org.postgresql.core.v3");
        RoundTrips counting = new RoundTrips();
        driver.setLevel(Level.FINEST);
        driver.addHandler(counting);
        try {
            call.run();
        } finally {
            driver.removeHandler(counting);
            driver.setLevel(null);
        }
        return counting.count;
    }

    /** Counts the answers that follow a message of the driver's. */
    private static final class RoundTrips extends Handler {
        private final long caller = Thread.currentThread().threadId();
        private boolean sent;
        private int count;

        RoundTrips() {
            setLevel(Level.FINEST);
        }

        @Override
        public void publish(LogRecord record) {
            String message = record.getMessage().strip();
            if (record.getLongThreadID() != caller) {
                return;
            }
            if (message.startsWith("FE=>")) {
                sent = true;
            } else if (message.startsWith("<=BE") && sent) {
                sent = false;
                count++;
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static void execute(Connection connection) throws SQLException {
        assertThat(ask(connection, "SELECT 1")).isEqualTo("1");
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
