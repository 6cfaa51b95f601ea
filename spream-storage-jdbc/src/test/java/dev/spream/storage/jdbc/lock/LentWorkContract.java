package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockListener;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Transactions of work and of callers: none ends unnoticed, and each keeps the limits of its pool. */
interface LentWorkContract {
    LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    /** A store over that pool, of the namespace of the test. */
    JdbcLockStore open(HikariDataSource pool);

    HikariDataSource pool();

    /** The name of a table of the test's. */
    String table();

    /** Statements that end a transaction, each with whether what follows is in another that can be rolled back. */
    Map<String, Boolean> endings();

    /** A limit of the session that ends a wait for a row after a second. */
    String limit();

    /** Asks for that limit. */
    String askLimit();

    JdbcLockFixture fixture();

    String session(Connection connection) throws SQLException;

    /** Has the database break a deadlock by rolling the other transaction back. */
    void spare(Connection transaction) throws SQLException;

    /** Returns true if work that ignored a deadlock is run again, since what follows fails; if not, the call fails. */
    boolean runsIgnoredDeadlockAgain();

    @Test
    default void nothing_of_work_that_ignores_a_deadlock_is_committed() throws Exception {
        String rows = table() + "_rows";
        execute(pool(), "CREATE TABLE IF NOT EXISTS %s (id INT PRIMARY KEY, runs INT)".formatted(rows));
        execute(pool(), "DELETE FROM " + rows);
        execute(pool(), "INSERT INTO %s VALUES (1, 0), (2, 0)".formatted(rows));
        AtomicInteger runs = new AtomicInteger();
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection other = own()) {
            spare(other);
            execute(other, "UPDATE %s SET runs = 0 WHERE id = 2".formatted(rows));
            String session = session(other);
            HierarchicalLocks.Action<Connection, Exception> work = connection -> {
                int run = runs.incrementAndGet();
                execute(connection, "UPDATE %s SET runs = %d WHERE id = 1".formatted(rows, run));
                if (run > 1) {
                    return;
                }
                BlockedCall rival = BlockedCall.start(fixture(), session, () -> {
                    execute(other, "UPDATE %s SET runs = 0 WHERE id = 1".formatted(rows));
                    other.commit();
                });
                assertThat(rival.awaitBlocked()).isEqualTo(session);
                assertThatThrownBy(() -> execute(connection, "UPDATE %s SET runs = 1 WHERE id = 2".formatted(rows)))
                        .isInstanceOf(SQLException.class);
                rival.awaitEnd();
            };
            if (runsIgnoredDeadlockAgain()) {
                locks.transactWithoutResult(USER, work);
            } else {
                assertThatThrownBy(() -> locks.transactWithoutResult(USER, work))
                        .isInstanceOf(LockLostException.class);
            }
        }
        assertThat(runs).hasValue(runsIgnoredDeadlockAgain() ? 2 : 1);
        assertThat(ask(pool(), "SELECT SUM(runs) FROM " + rows)).isEqualTo(runsIgnoredDeadlockAgain() ? "2" : "0");
    }

    @Test
    default void work_that_ends_its_transaction_by_a_statement_is_told_and_what_follows_is_not_committed()
            throws Exception {
        createTable();
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            for (Map.Entry<String, Boolean> ending : endings().entrySet()) {
                execute(pool(), "DELETE FROM " + table());
                assertThatThrownBy(() -> locks.transact(USER, connection -> {
                            execute(connection, ending.getKey());
                            execute(connection, "INSERT INTO %s VALUES (2)".formatted(table()));
                            return true;
                        }))
                        .as(ending.getKey())
                        .isInstanceOf(LockLostException.class)
                        .hasMessageContaining("such as COMMIT");
                assertThat(ask(pool(), "SELECT COUNT(*) FROM " + table()))
                        .as(ending.getKey())
                        .isEqualTo(ending.getValue() ? "0" : "1");
                locks.tryAcquire(USER).orElseThrow().close();
            }
        }
    }

    @Test
    default void work_can_end_its_transaction_by_no_connection_and_is_committed_under_its_locks() throws Exception {
        createTable();
        AtomicReference<Connection> kept = new AtomicReference<>();
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            assertThat(locks.<Boolean, Exception>transact(USER, connection -> {
                        kept.set(connection);
                        try (Statement statement = connection.createStatement()) {
                            for (Connection reached : List.of(
                                    connection,
                                    statement.getConnection(),
                                    connection.unwrap(Connection.class),
                                    connection.getMetaData().getConnection())) {
                                assertRefused("commit", reached::commit);
                                assertRefused("rollback", reached::rollback);
                                assertRefused("setAutoCommit", () -> reached.setAutoCommit(true));
                                assertRefused("setNetworkTimeout", () -> reached.setNetworkTimeout(Runnable::run, 0));
                            }
                        }
                        execute(connection, "INSERT INTO %s VALUES (1)".formatted(table()));
                        Savepoint before = connection.setSavepoint();
                        execute(connection, "INSERT INTO %s VALUES (2)".formatted(table()));
                        connection.rollback(before);
                        connection.close();
                        return locks.tryAcquire(USER).isEmpty();
                    }))
                    .as("held to its end")
                    .isTrue();
        }
        assertThat(ask(pool(), "SELECT SUM(value) FROM " + table())).isEqualTo("1");
        assertThatThrownBy(() -> requireNonNull(kept.get()).createStatement())
                .hasMessageContaining("whose transaction has ended");
    }

    @Test
    default void work_whose_store_is_closed_loses_its_connection_and_is_not_blamed_for_it() {
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            assertThatThrownBy(() -> locks.transact(USER, connection -> {
                        store.close();
                        return true;
                    }))
                    .isInstanceOf(LockConnectionException.class);
            assertThatThrownBy(() -> locks.transact(USER, connection -> true))
                    .hasMessageContaining("the lock store is closed");
        }
    }

    private static void assertRefused(String method, Statements call) {
        assertThatThrownBy(call::run).isInstanceOf(LockStoreException.class).hasMessageContaining(method + "()");
    }

    /** Calls of a connection. */
    interface Statements {
        void run() throws SQLException;
    }

    @Test
    default void work_has_the_limits_of_its_pool_and_the_wait_before_it_has_not() throws Exception {
        try (HikariDataSource limited = limited(10);
                JdbcLockStore store = open(limited);
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            String before = ask(limited, askLimit());
            assertThat(locks.<String, Exception>transact(USER, connection -> ask(connection, askLimit())))
                    .as("that did not wait")
                    .isEqualTo(before);
            CountDownLatch waits = new CountDownLatch(1);
            AtomicReference<String> inWork = new AtomicReference<>();
            try (HierarchicalLocks<Connection> waiting = HierarchicalLocks.builder(store)
                            .listener(new LockListener() {
                                @Override
                                public void waiting(LockRequest request, PlannedLock next) {
                                    waits.countDown();
                                }
                            })
                            .build();
                    LockHandle holder = locks.acquire(USER)) {
                assertThatThrownBy(() ->
                                waiting.transact(USER, LockWait.atMost(Duration.ofMillis(1_500)), connection -> true))
                        .isInstanceOf(LockTimeoutException.class)
                        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("statement_timeout"));
                Thread work = Thread.ofVirtual().start(() -> {
                    try {
                        waiting.<Boolean, Exception>transact(USER, connection -> {
                            inWork.set(ask(connection, askLimit()));
                            return true;
                        });
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
                assertThat(waits.await(30, TimeUnit.SECONDS)).isTrue();
                holder.close();
                assertThat(work.join(Duration.ofSeconds(30))).isTrue();
                assertThat(inWork.get()).as("that waited").isEqualTo(before);
            }
        }
    }

    @Test
    default void locks_of_a_transaction_are_forgotten_at_the_next_one_of_its_connection() throws Exception {
        LockRequest shared = LockRequest.shared(LockTarget.user("u1"));
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = own()) {
            for (int round = 0; round < 3; round++) {
                locks.in(own).acquire(shared);
                Savepoint savepoint = own.setSavepoint();
                locks.in(own).acquire(shared);
                own.rollback(savepoint);
                assertThatThrownBy(() -> locks.in(own).acquire(USER)).isInstanceOf(LockOrderException.class);
                own.commit();
                locks.in(own).acquire(USER);
                locks.in(own).acquire(LockRequest.exclusive(LockTarget.account("u1", "a1")));
                own.rollback();
                locks.in(own).acquire(LockRequest.exclusive(LockTarget.account("u1", "a1")));
                assertThat(locks.tryAcquire(LockRequest.exclusive(LockTarget.account("u1", "a1"))))
                        .as("taken again")
                        .isEmpty();
                own.rollback();
            }
        }
    }

    @Test
    default void a_lock_that_a_rollback_to_a_savepoint_has_freed_is_taken_again() throws Exception {
        LockRequest first = LockRequest.shared(LockTarget.user("u1"));
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = own()) {
            LockTarget later = IntStream.range(2, 100)
                    .mapToObj(number -> LockTarget.user("u" + number))
                    .filter(user ->
                            store.space().keyOf(user).compareTo(store.space().keyOf(LockTarget.user("u1"))) > 0)
                    .findFirst()
                    .orElseThrow();
            for (Rollback rollback : Rollback.values()) {
                locks.in(own).acquire(first);
                requireTakenAgain(locks, own, later, rollback);
                own.rollback();
                assertThat(locks.<Boolean, Exception>transact(first, connection -> {
                            requireTakenAgain(locks, connection, later, rollback);
                            return true;
                        }))
                        .isTrue();
            }
        }
    }

    private static void requireTakenAgain(
            HierarchicalLocks<Connection> locks, Connection connection, LockTarget user, Rollback rollback)
            throws Exception {
        LockTarget below = LockTarget.account(user.path().getFirst(), "a1");
        for (LockTarget next : List.of(user, below)) {
            Savepoint savepoint = rollback.begin(connection);
            locks.in(connection).acquire(LockRequest.exclusive(user));
            rollback.run(connection, savepoint);
            locks.in(connection).acquire(LockRequest.exclusive(next));
            assertThat(locks.tryAcquire(LockRequest.exclusive(next)))
                    .as("%s by %s", next, rollback)
                    .isEmpty();
            rollback.run(connection, savepoint);
        }
    }

    /** Ways to go back to a savepoint. */
    enum Rollback {
        CALL,
        STATEMENT;

        Savepoint begin(Connection connection) throws SQLException {
            return connection.setSavepoint("mine");
        }

        void run(Connection connection, Savepoint savepoint) throws SQLException {
            if (this == CALL) {
                connection.rollback(savepoint);
            } else {
                execute(connection, "ROLLBACK TO SAVEPOINT mine");
            }
        }
    }

    @Test
    default void a_savepoint_of_the_caller_outlasts_calls_that_are_granted_and_refused() throws Exception {
        createTable();
        LockRequest below = LockRequest.exclusive(LockTarget.account("u1", "a1"));
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = own()) {
            locks.in(own).acquire(USER);
            execute(own, "INSERT INTO %s VALUES (1)".formatted(table()));
            Savepoint savepoint = own.setSavepoint();
            execute(own, "INSERT INTO %s VALUES (2)".formatted(table()));
            locks.in(own).acquire(below);
            assertThatThrownBy(() -> locks.acquire(below))
                    .isInstanceOf(LockOrderException.class)
                    .hasMessageContaining("wait for itself");
            locks.in(own).acquire(LockRequest.shared(LockTarget.account("u2", "a1")));
            assertThatThrownBy(() -> locks.in(own).acquire(LockRequest.exclusive(LockTarget.user("u2"))))
                    .isInstanceOf(LockOrderException.class);
            own.rollback(savepoint);
            own.commit();
        }
        assertThat(ask(pool(), "SELECT SUM(value) FROM " + table())).isEqualTo("1");
    }

    @Test
    default void locks_of_several_calls_in_a_transaction_are_remembered_together() throws Exception {
        List<LockTarget> users = IntStream.range(0, 20)
                .mapToObj(number -> LockTarget.user("u" + number))
                .toList();
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = own()) {
            List<LockTarget> inOrder = users.stream()
                    .sorted(Comparator.comparing(store.space()::keyOf))
                    .toList();
            LockTarget alone = inOrder.getFirst();
            LockTarget shared = inOrder.getLast();
            locks.in(own).acquire(LockRequest.exclusive(alone));
            locks.in(own).acquire(LockRequest.shared(shared));
            LockTarget below = LockTarget.account(alone.path().getFirst(), "a1");
            assertThatThrownBy(() -> locks.in(own).acquire(LockRequest.exclusive(below, shared)))
                    .isInstanceOf(LockOrderException.class)
                    .hasMessageContaining("is held shared");
            own.rollback();
        }
    }

    @Test
    default void a_transaction_in_which_locking_failed_commits_nothing_until_it_is_rolled_back() throws Exception {
        createTable();
        try (JdbcLockStore store = open(pool());
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection own = own()) {
            try (LockHandle holder = locks.acquire(USER)) {
                execute(own, "INSERT INTO %s VALUES (1)".formatted(table()));
                assertThatThrownBy(() -> locks.in(own).acquire(USER, LockWait.NONE))
                        .isInstanceOf(LockBusyException.class);
            }
            assertThatThrownBy(() -> execute(own, "INSERT INTO %s VALUES (2)".formatted(table())))
                    .isInstanceOf(SQLException.class);
            assertThat(ask(pool(), "SELECT COUNT(*) FROM " + table())).isEqualTo("0");
            own.rollback();
            locks.in(own).acquire(USER);
            execute(own, "INSERT INTO %s VALUES (4)".formatted(table()));
            own.commit();
            assertThat(ask(pool(), "SELECT SUM(value) FROM " + table())).isEqualTo("4");
        }
    }

    @Test
    default void views_that_a_pool_gives_out_of_one_connection_are_one_to_the_store() throws Exception {
        try (JdbcLockStore store = open(pool());
                HikariDataSource single = limited(1)) {
            Object before;
            try (Connection view = single.getConnection()) {
                before = store.connectionOf(view);
                assertThat(before).isNotSameAs(view);
            }
            try (Connection view = single.getConnection()) {
                assertThat(store.connectionOf(view)).isSameAs(before);
            }
        }
    }

    private Connection own() throws SQLException {
        Connection own = pool().getConnection();
        own.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        own.setAutoCommit(false);
        return own;
    }

    private HikariDataSource limited(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(pool().getJdbcUrl());
        config.setUsername(pool().getUsername());
        config.setPassword(pool().getPassword());
        config.setConnectionInitSql(limit());
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    private void createTable() throws SQLException {
        execute(pool(), "CREATE TABLE IF NOT EXISTS %s (value INT)".formatted(table()));
        execute(pool(), "DELETE FROM " + table());
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

    private static String ask(HikariDataSource pool, String question) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return ask(connection, question);
        }
    }

    private static String ask(Connection connection, String question) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getString(1);
        }
    }
}
