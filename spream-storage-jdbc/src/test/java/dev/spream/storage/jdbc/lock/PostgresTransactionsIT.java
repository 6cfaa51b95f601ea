package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Locks in transactions of the caller's, whose settings are the caller's. */
@ParameterizedClass
@MethodSource("dev.spream.storage.jdbc.lock.Matrix#strategies")
@Timeout(60)
final class PostgresTransactionsIT implements LentWorkContract {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 100, 3);
    private static final PlannedLock ONE = exclusive(1);
    private static final PlannedLock TWO = exclusive(2);

    private static final Map<LockStrategy, PostgresLockNamespaces> NAMESPACES = new EnumMap<>(LockStrategy.class);

    private final LockStrategy strategy;

    private PostgresLockFixture fixture;
    private LockStore<Connection> store;
    private Connection holder;
    private Connection own;

    PostgresTransactionsIT(LockStrategy strategy) {
        this.strategy = strategy;
    }

    @BeforeEach
    void open() {
        fixture = new PostgresLockFixture(namespaces());
        store = fixture.open(SPACE);
        holder = fixture.beginOwn();
        own = fixture.beginOwn();
    }

    private PostgresLockNamespaces namespaces() {
        return NAMESPACES.computeIfAbsent(strategy, PostgresLockNamespaces::new);
    }

    @AfterEach
    void close() {
        fixture.endOwn(own);
        fixture.endOwn(holder);
        fixture.close();
    }

    @AfterAll
    static void drop() {
        NAMESPACES.values().forEach(PostgresLockNamespaces::close);
        NAMESPACES.clear();
    }

    @Test
    void auto_commit_is_refused() throws Exception {
        own.setAutoCommit(true);
        assertThatThrownBy(() -> store.tryLock(own, List.of(ONE)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("setAutoCommit(false)");
        assertThatThrownBy(() -> store.lock(own, List.of(ONE), PostgresLockFixture.FOREVER))
                .isInstanceOf(LockStoreException.class);
    }

    @Test
    void a_transaction_that_would_see_what_was_there_before_it_waited_is_refused() throws Exception {
        for (String isolation : List.of("REPEATABLE READ", "SERIALIZABLE")) {
            execute(own, "SET TRANSACTION ISOLATION LEVEL " + isolation);
            assertThatThrownBy(() -> store.tryLock(own, List.of(ONE)))
                    .isInstanceOf(BucketSpaceException.class)
                    .hasMessageContaining(isolation)
                    .hasMessageContaining("use READ COMMITTED");
            own.rollback();
        }
        assertThat(store.tryLock(own, List.of(ONE)).count()).isEqualTo(1);
    }

    @Test
    void an_idle_connection_is_not_asked_for_the_transaction_that_it_was_in() throws Exception {
        LockRequest user = LockRequest.exclusive(LockTarget.user("u1"));
        try (HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            locks.in(own).acquire(user);
            own.commit();
            locks.acquire(user).close();
            assertThat(own.unwrap(BaseConnection.class).getTransactionState()).isEqualTo(TransactionState.IDLE);
        }
    }

    @Test
    void work_that_met_a_deadlock_of_its_own_is_run_again() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            int run = locks.transact(LockRequest.exclusive(LockTarget.user("u1")), connection -> {
                if (runs.incrementAndGet() == 1) {
                    execute(connection, "DO $$ BEGIN RAISE EXCEPTION 'met' USING ERRCODE = '40P01'; END $$");
                }
                return runs.get();
            });
            assertThat(run).isEqualTo(2);
            assertThatThrownBy(() -> locks.transact(LockRequest.exclusive(LockTarget.user("u1")), connection -> {
                        runs.incrementAndGet();
                        execute(connection, "DO $$ BEGIN RAISE EXCEPTION 'wrong' USING ERRCODE = '22012'; END $$");
                        return true;
                    }))
                    .hasMessageContaining("wrong");
            assertThat(runs).hasValue(3);
        }
    }

    @Test
    void commits_of_other_transactions_during_a_wait_are_visible_after_it() throws Exception {
        execute(holder, "CREATE TABLE IF NOT EXISTS seen (value int)", "TRUNCATE seen");
        holder.commit();
        assertThat(ask(own, "SELECT count(*) FROM seen")).isEqualTo("0");
        store.tryLock(holder, List.of(ONE));
        execute(holder, "INSERT INTO seen VALUES (1)");
        try (BlockedCall call = BlockedCall.start(fixture, own, () -> lock(ONE))) {
            call.awaitBlocked();
            holder.commit();
            call.awaitEnd();
        }
        assertThat(ask(own, "SELECT count(*) FROM seen")).isEqualTo("1");
    }

    @Test
    void the_callers_lock_timeout_ends_a_wait_that_may_last_longer() {
        store.tryLock(holder, List.of(ONE));
        execute(own, "SET LOCAL lock_timeout = '20ms'");
        assertThatThrownBy(() -> lock(ONE))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("waiting for lock 0:1 exclusive, number 1 of 1, failed")
                .hasMessageContaining("55P03");
    }

    @Test
    void the_deadline_ends_a_wait_that_the_caller_would_let_last_longer() {
        store.tryLock(holder, List.of(TWO));
        execute(own, "SET LOCAL lock_timeout = '1h'");
        assertThatThrownBy(() -> store.lock(own, List.of(ONE, TWO), PostgresLockFixture.in(Duration.ofMillis(100))))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("waiting for lock 0:2 exclusive, number 2 of 2, failed");
    }

    @Test
    void a_deadline_holds_for_a_waiter_that_advances_in_the_queue() throws Exception {
        Connection behind = fixture.beginOwn();
        store.tryLock(holder, List.of(ONE));
        Duration timeout = Duration.ofMillis(2_200);
        try (BlockedCall first =
                BlockedCall.start(fixture, own, () -> store.lock(own, List.of(ONE), PostgresLockFixture.in(timeout)))) {
            first.awaitBlocked();
            try (BlockedCall second = BlockedCall.start(
                    fixture, behind, () -> store.lock(behind, List.of(ONE), PostgresLockFixture.in(timeout)))) {
                second.awaitBlocked();
                assertThat(first.failure()).isInstanceOf(LockTimeoutException.class);
                assertThat(second.failure()).isInstanceOf(LockTimeoutException.class);
            }
        } finally {
            fixture.endOwn(behind);
        }
    }

    @Test
    void a_deadline_that_is_over_is_a_timeout() {
        assertThatThrownBy(() -> store.lock(own, List.of(ONE), PostgresLockFixture.in(Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("it timed out");
    }

    @Test
    void the_callers_statement_timeout_ends_a_wait() {
        store.tryLock(holder, List.of(ONE));
        execute(own, "SET LOCAL statement_timeout = '500ms'");
        assertThatThrownBy(() -> lock(ONE))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("57014")
                .hasMessageContaining("statement_timeout");
    }

    @Test
    void a_wait_that_an_administrator_cancels_is_told_so() throws Exception {
        store.tryLock(holder, List.of(ONE));
        try (BlockedCall call = BlockedCall.start(fixture, own, () -> lock(ONE))) {
            String waiter = call.awaitBlocked();
            ask(holder, "SELECT pg_cancel_backend(%s)".formatted(waiter));
            assertThat(call.failure()).isInstanceOf(LockCancelledException.class);
        }
    }

    @Test
    void a_deadlock_with_rows_of_the_callers_is_told_to_one() throws Exception {
        execute(
                holder,
                "CREATE TABLE IF NOT EXISTS counters (value int)",
                "TRUNCATE counters",
                "INSERT INTO counters VALUES (1)");
        holder.commit();
        execute(own, "SET LOCAL deadlock_timeout = '10ms'");
        store.tryLock(holder, List.of(ONE));
        execute(own, "UPDATE counters SET value = 2");
        try (BlockedCall call = BlockedCall.start(
                fixture,
                holder,
                () -> execute(holder, "SET LOCAL deadlock_timeout = '1min'", "UPDATE counters SET value = 3"))) {
            call.awaitBlocked();
            assertThatThrownBy(() -> lock(ONE))
                    .isInstanceOf(LockDeadlockException.class)
                    .hasMessageContaining("40P01")
                    .hasMessageContaining("run the transaction again");
            own.rollback();
            call.awaitEnd();
        }
    }

    @Override
    public JdbcLockStore open(HikariDataSource pool) {
        return fixture.builder(SPACE, pool).build();
    }

    @Override
    public HikariDataSource pool() {
        return namespaces().pool();
    }

    @Override
    public String table() {
        return "public.done";
    }

    @Override
    public Map<String, Boolean> endings() {
        return Map.of("COMMIT", true, "ROLLBACK", true, "COMMIT AND CHAIN", true, "COMMIT; BEGIN", true);
    }

    @Override
    public String limit() {
        return "SET statement_timeout = '1s'";
    }

    @Override
    public String askLimit() {
        return "SHOW statement_timeout";
    }

    @Override
    public boolean runsIgnoredDeadlockAgain() {
        return true;
    }

    @Override
    public JdbcLockFixture fixture() {
        return fixture;
    }

    @Override
    public String session(Connection connection) throws SQLException {
        return BlockedCall.session(connection);
    }

    @Override
    public void spare(Connection transaction) {
        execute(transaction, "SET LOCAL deadlock_timeout = '1min'");
    }

    private void lock(PlannedLock lock) throws InterruptedException {
        store.lock(own, List.of(lock), PostgresLockFixture.FOREVER);
    }

    private static PlannedLock exclusive(int bucket) {
        return new PlannedLock(new LockKey(0, bucket), LockMode.EXCLUSIVE);
    }

    private static void execute(Connection connection, String... statements) {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
