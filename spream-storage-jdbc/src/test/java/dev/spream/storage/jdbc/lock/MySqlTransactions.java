package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks in sessions of the caller that outlive them, by one of the drivers. */
@Timeout(60)
abstract class MySqlTransactions implements LentWorkContract {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 100, 3);
    private static final BucketSpace WIDE = new BucketSpace(BucketHash.SHA256, 3_000, 1);
    private static final PlannedLock ONE = exclusive(1);
    private static final PlannedLock TWO = exclusive(2);

    private MySqlLockNamespaces namespaces;
    private MySqlLockFixture fixture;
    private LockStore<Connection> store;
    private Connection holder;
    private Connection own;

    abstract MySqlLockNamespaces namespaces();

    @BeforeEach
    final void open() {
        namespaces = namespaces();
        fixture = new MySqlLockFixture(namespaces);
        store = fixture.open(SPACE);
        holder = fixture.beginOwn();
        own = fixture.beginOwn();
    }

    @AfterEach
    final void close() {
        fixture.endOwn(own);
        fixture.endOwn(holder);
        fixture.close();
    }

    @Test
    void a_session_whose_transactions_are_not_read_committed_is_refused_whether_the_lock_is_free_or_not()
            throws Exception {
        store.tryLock(holder, List.of(TWO));
        for (String isolation : List.of("REPEATABLE READ", "SERIALIZABLE", "READ UNCOMMITTED")) {
            execute(own, "SET SESSION TRANSACTION ISOLATION LEVEL " + isolation);
            for (PlannedLock lock : List.of(ONE, TWO)) {
                assertThatThrownBy(() -> store.tryLock(own, List.of(lock)))
                        .isInstanceOf(BucketSpaceException.class)
                        .hasMessageContaining(isolation)
                        .hasMessageContaining("do not read changes committed during a wait")
                        .hasMessageContaining("setTransactionIsolation");
                own.rollback();
            }
        }
    }

    @Test
    void commits_of_other_transactions_during_a_wait_are_visible_after_it() throws Exception {
        String table = fixture.schema() + ".seen";
        execute(holder, "CREATE TABLE IF NOT EXISTS %s (value INT) ENGINE = InnoDB".formatted(table));
        String count = "SELECT COUNT(*) FROM " + table;
        long before = Long.parseLong(ask(own, count));
        store.tryLock(holder, List.of(ONE));
        execute(holder, "INSERT INTO %s VALUES (1)".formatted(table));
        Future<Boolean> call = start(() -> store.lock(own, List.of(ONE), forever()));
        awaitBlocked(own, holder);
        holder.commit();
        assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ask(own, count)).isEqualTo(Long.toString(before + 1));
    }

    @Test
    void a_row_that_is_missing_locks_nothing_and_is_never_taken_for_locked() throws Exception {
        fixture.removeBucket(ONE.key());
        String row = "%s.hier_lock_buckets WHERE level = 0 AND bucket = 1".formatted(fixture.schema());
        assertThat(ask(holder, "SELECT COUNT(*) FROM %s FOR UPDATE".formatted(row)))
                .isEqualTo("0");
        execute(own, "INSERT INTO %s.hier_lock_buckets (level, bucket) VALUES (0, 1)".formatted(fixture.schema()));
        own.rollback();
        for (Connection transaction : List.of(holder, own)) {
            assertThatThrownBy(() -> store.tryLock(transaction, List.of(ONE)))
                    .isInstanceOf(BucketsNotProvisionedException.class)
                    .hasMessageContaining("bucket 1 of level 0")
                    .hasMessageContaining("./spream locks provision");
        }
    }

    @Test
    void a_session_is_as_before_after_a_wait_that_ended_well_or_in_time_or_was_interrupted() throws Exception {
        execute(own, "SET SESSION innodb_lock_wait_timeout = 37");
        String before = settings(own);
        store.tryLock(holder, List.of(ONE));
        assertThatThrownBy(() -> store.lock(own, List.of(ONE), in(Duration.ofMillis(50))))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(settings(own)).isEqualTo(before);
        own.rollback();

        FutureTask<Boolean> interrupted = new FutureTask<>(() -> {
            store.lock(own, List.of(ONE), forever());
            return true;
        });
        Thread thread = Thread.ofVirtual().start(interrupted);
        awaitBlocked(own, holder);
        thread.interrupt();
        assertThat(failure(interrupted)).isInstanceOf(InterruptedException.class);
        assertThat(settings(own)).isEqualTo(before);
        own.rollback();

        Future<Boolean> granted = start(() -> store.lock(own, List.of(ONE), forever()));
        awaitBlocked(own, holder);
        holder.rollback();
        assertThat(granted.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(settings(own)).isEqualTo(before);
    }

    @Test
    void a_wait_is_not_cut_short_by_the_servers_own_limit() throws Exception {
        execute(own, "SET SESSION innodb_lock_wait_timeout = 1");
        store.tryLock(holder, List.of(ONE));
        long start = System.nanoTime();
        assertThatThrownBy(() -> store.lock(own, List.of(ONE), in(Duration.ofMillis(1300))))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(1300));
    }

    @Test
    void a_session_is_as_before_after_a_handle() throws Exception {
        namespaces
                .pool()
                .getHikariPoolMXBean()
                .softEvictConnections(); // what comes is new and has the server's settings
        String usual = ask(own, question().replace("@@SESSION", "@@GLOBAL"));
        Connection transaction = store.begin(forever());
        String session = ask(transaction, "SELECT CONNECTION_ID()");
        assertThat(settings(transaction)).startsWith("READ-COMMITTED").isNotEqualTo(usual);
        store.tryLock(transaction, List.of(ONE));
        store.end(transaction);
        try (Connection again = withSession(session)) {
            assertThat(settings(again)).isEqualTo(usual);
        }
    }

    @Test
    void a_session_is_as_before_after_work_that_closed_its_connection() throws Exception {
        String usual = ask(own, question().replace("@@SESSION", "@@GLOBAL"));
        namespaces.pool().getHikariPoolMXBean().softEvictConnections();
        Connection transaction = store.begin(forever());
        String session = ask(transaction, "SELECT CONNECTION_ID()");
        try (Connection closed = transaction) {
            store.tryLock(closed, List.of(ONE));
        }
        assertThat(store.isAlive(transaction)).isTrue();
        assertThat(transaction.getNetworkTimeout()).isEqualTo(own.getNetworkTimeout());
        store.commit(transaction);
        store.end(transaction);
        try (Connection again = withSession(session)) {
            assertThat(settings(again)).isEqualTo(usual);
        }
    }

    @Test
    void a_holder_that_stalls_for_too_long_loses_its_connection_and_its_locks() throws Exception {
        try (JdbcLockStore impatient = JdbcLockStore.builder(namespaces.pool())
                .schema(fixture.schema())
                .holderTimeout(Duration.ofSeconds(1))
                .build()) {
            Connection transaction = impatient.begin(forever());
            impatient.tryLock(transaction, List.of(ONE));
            store.lock(own, List.of(ONE), in(Duration.ofSeconds(20)));
            assertThat(impatient.isAlive(transaction)).isFalse();
            impatient.end(transaction);
        }
    }

    @Test
    void a_wait_that_an_administrator_cancels_says_so() throws Exception {
        store.tryLock(holder, List.of(ONE));
        Future<Boolean> call = start(() -> store.lock(own, List.of(ONE), forever()));
        String session = awaitBlocked(own, holder);
        namespaces.execute("KILL QUERY " + session);
        assertThat(failure(call))
                .isInstanceOf(LockCancelledException.class)
                .hasMessageContaining("an administrator cancelled it");
    }

    @Test
    void a_transaction_is_told_from_the_next_whatever_ended_it() throws Exception {
        List<String> endings = new ArrayList<>(endings().keySet());
        endings.addAll(
                List.of("PREPARE ending FROM 'COMMIT'; EXECUTE ending", "SET autocommit = 1; SET autocommit = 0"));
        if (namespaces.mariadb()) {
            endings.add("BEGIN NOT ATOMIC COMMIT; END");
        }
        for (String ending : endings) {
            String transaction = store.tryLock(own, List.of(ONE)).transaction();
            assertThat(store.isCurrent(own, transaction)).isTrue();
            for (String sql : ending.startsWith("BEGIN") ? List.of(ending) : List.of(ending.split("; "))) {
                execute(own, sql);
            }
            own.setAutoCommit(false);
            store.tryLock(own, List.of(ONE));
            assertThat(store.isCurrent(own, transaction)).as(ending).isFalse();
            own.rollback();
        }
    }

    @Test
    void locks_are_taken_in_a_session_whose_counters_were_set_back() throws Exception {
        LockRequest user = LockRequest.exclusive(LockTarget.user("u1"));
        LockRequest below = LockRequest.exclusive(LockTarget.account("u1", "a1"));
        for (SetBack way : SetBack.values()) {
            try (HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                    Connection session = resettable()) {
                for (LockRequest request : List.of(user, user, below)) {
                    way.run(session);
                    locks.in(session).acquire(request);
                    assertThat(locks.tryAcquire(request))
                            .as("%s, %s", way, request)
                            .isEmpty();
                    session.commit();
                }
            }
        }
    }

    @Test
    void a_session_that_was_reset_refuses_nothing_for_what_was_locked_before() throws Exception {
        LockTarget user = LockTarget.user("u1");
        try (HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                Connection session = resettable()) {
            for (int round = 0; round < 3; round++) {
                for (LockRequest request : List.of(LockRequest.shared(user), LockRequest.exclusive(user))) {
                    SetBack.RESET.run(session);
                    locks.in(session).acquire(request);
                    session.commit();
                }
            }
        }
    }

    /** By the driver of the test; MariaDB's resets the session on the server only if it is told to. */
    private Connection resettable() throws SQLException {
        HikariDataSource pool = namespaces.pool();
        return DriverManager.getConnection(
                pool.getJdbcUrl() + "?useResetConnection=true", pool.getUsername(), pool.getPassword());
    }

    /** Ways to reset the counters of a session. */
    private enum SetBack {
        FLUSH_STATUS,
        RESET;

        void run(Connection connection) throws SQLException {
            if (this == FLUSH_STATUS) {
                execute(connection, "FLUSH STATUS");
            } else if (connection.isWrapperFor(org.mariadb.jdbc.Connection.class)) {
                connection.unwrap(org.mariadb.jdbc.Connection.class).reset();
            } else {
                connection.unwrap(JdbcConnection.class).resetServerState();
            }
            connection.setAutoCommit(true);
            execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            connection.setAutoCommit(false);
        }
    }

    @Test
    void a_transaction_that_the_server_ended_to_break_a_deadlock_is_not_taken_for_the_next() throws Exception {
        String table = fixture.schema() + ".heavy";
        execute(holder, "CREATE TABLE IF NOT EXISTS %s (value INT) ENGINE = InnoDB".formatted(table));
        store.tryLock(holder, List.of(TWO));
        execute(holder, "INSERT INTO %s VALUES (1), (2), (3)".formatted(table));
        String transaction = store.tryLock(own, List.of(ONE)).transaction();
        String waiter = namespaces.session(holder);
        Future<Boolean> call = start(() -> store.lock(holder, List.of(ONE), forever()));
        while (fixture.blockersOf(waiter).isEmpty()) {
            assertThat(call.isDone()).isFalse();
        }
        assertThatThrownBy(() -> execute(
                        own,
                        "SELECT 1 FROM %s.hier_lock_buckets WHERE level = 0 AND bucket = 2 FOR UPDATE"
                                .formatted(fixture.schema())))
                .isInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(((SQLException) e).getErrorCode()).isEqualTo(1213));
        assertThat(store.isCurrent(own, transaction)).isFalse();
        assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_transaction_stays_the_same_over_work_and_waits() throws Exception {
        String table = fixture.schema() + ".worked";
        execute(holder, "CREATE TABLE IF NOT EXISTS %s (value INT) ENGINE = InnoDB".formatted(table));
        store.tryLock(holder, List.of(TWO));
        String transaction = store.tryLock(own, List.of(ONE)).transaction();
        Future<Boolean> call = start(() -> store.lock(own, List.of(TWO), forever()));
        awaitBlocked(own, holder);
        holder.rollback();
        assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
        for (String work : List.of(
                "INSERT INTO %s VALUES (1)",
                "INSERT INTO %1$s SELECT value + 1 FROM %1$s",
                "UPDATE %s SET value = 3",
                "SAVEPOINT one",
                "DELETE FROM %s",
                "ROLLBACK TO SAVEPOINT one",
                "RELEASE SAVEPOINT one",
                "SHOW WARNINGS",
                "SELECT * FROM %s")) {
            execute(own, work.formatted(table));
            assertThat(own.isValid(1)).isTrue();
            assertThat(store.isCurrent(own, transaction)).as(work).isTrue();
        }
    }

    @Test
    void many_locks_are_taken_up_to_the_first_that_others_have_and_none_after_it() throws Exception {
        List<PlannedLock> all = IntStream.range(0, 100)
                .mapToObj(bucket ->
                        new PlannedLock(new LockKey(0, bucket), bucket < 60 ? LockMode.EXCLUSIVE : LockMode.SHARED))
                .toList();
        Connection other = fixture.beginOwn();
        for (int busy : List.of(1, 37, 59, 60, 99)) {
            assertThat(store.tryLock(holder, List.of(exclusive(busy))).count()).isEqualTo(1);
            assertThat(store.tryLock(own, all).count()).isEqualTo(busy);
            assertThat(store.tryLock(other, List.of(exclusive(busy - 1))).count())
                    .as("before %d", busy)
                    .isZero();
            List<PlannedLock> after = IntStream.range(busy + 1, 100)
                    .mapToObj(MySqlTransactions::exclusive)
                    .toList();
            for (PlannedLock lock : after) {
                assertThat(store.tryLock(other, List.of(lock)).count())
                        .as("%s", lock)
                        .isEqualTo(1);
            }
            other.rollback();
            own.rollback();
            holder.rollback();
        }
    }

    @Test
    void thousands_of_locks_are_taken_in_their_order_too() throws Exception {
        LockStore<Connection> wide = fixture.open(WIDE);
        List<PlannedLock> all =
                IntStream.range(0, 3_000).mapToObj(MySqlTransactions::exclusive).toList();
        PlannedLock busy = all.get(1_234);
        assertThat(wide.tryLock(holder, List.of(busy)).count()).isEqualTo(1);
        assertThat(wide.tryLock(own, all).count()).isEqualTo(1_234);
        Connection other = fixture.beginOwn();
        List<PlannedLock> after = all.subList(1_235, 3_000);
        assertThat(wide.tryLock(other, after).count()).isEqualTo(after.size());
    }

    @Test
    void many_locks_lock_nothing_between_them() throws Exception {
        List<PlannedLock> third = IntStream.range(0, 33)
                .mapToObj(number -> exclusive(number * 3L + 1))
                .toList();
        List<PlannedLock> others = IntStream.range(0, 100)
                .filter(bucket -> bucket % 3 != 1 || bucket > 97)
                .mapToObj(MySqlTransactions::exclusive)
                .toList();
        assertThat(store.tryLock(own, third).count()).isEqualTo(third.size());
        assertThat(store.tryLock(holder, others).count()).isEqualTo(others.size());
    }

    @Test
    void a_row_that_is_missing_among_many_is_named() throws Exception {
        PlannedLock missing = exclusive(50);
        fixture.removeBucket(missing.key());
        assertThatThrownBy(() -> store.tryLock(
                        own,
                        IntStream.range(20, 80)
                                .mapToObj(MySqlTransactions::exclusive)
                                .toList()))
                .isInstanceOf(BucketsNotProvisionedException.class)
                .hasMessageContaining("bucket 50 of level 0");
    }

    @Test
    void clients_that_take_many_locks_of_overlapping_sets_do_not_deadlock() throws Exception {
        List<Future<Boolean>> clients = new ArrayList<>();
        try (HierarchicalLocks<Connection> locks =
                HierarchicalLocks.builder(store).attempts(1).build()) {
            for (int client = 0; client < 6; client++) {
                Random random = new Random(client);
                clients.add(start(() -> {
                    for (int round = 0; round < 25; round++) {
                        locks.acquire(anyTargets(random), LockWait.atMost(Duration.ofSeconds(30)))
                                .close();
                    }
                }));
            }
            for (Future<Boolean> client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    /** Of 200 accounts about 30, two of three of them exclusive. */
    private static LockRequest anyTargets(Random random) {
        Map<LockTarget, LockMode> targets = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            targets.put(
                    LockTarget.account("u", "a" + random.nextInt(200)),
                    random.nextInt(3) > 0 ? LockMode.EXCLUSIVE : LockMode.SHARED);
        }
        return new LockRequest(targets);
    }

    @Test
    void a_server_that_is_read_only_is_refused() throws Exception {
        namespaces.execute("SET GLOBAL read_only = ON");
        try {
            assertThatThrownBy(() -> store.tryLock(own, List.of(ONE)))
                    .isInstanceOf(BucketSpaceException.class)
                    .hasMessageContaining("connect to the primary");
            assertThatThrownBy(() -> fixture.open(SPACE)).isInstanceOf(BucketSpaceException.class);
        } finally {
            namespaces.execute("SET GLOBAL read_only = OFF");
        }
    }

    @Test
    void a_transaction_that_is_read_only_is_refused() throws Exception {
        execute(own, "START TRANSACTION READ ONLY");
        assertThatThrownBy(() -> store.tryLock(own, List.of(ONE)))
                .isInstanceOf(BucketSpaceException.class)
                .hasMessageContaining("a read-write transaction");
    }

    @Test
    void rows_of_another_engine_and_advisory_locks_are_refused() {
        String table = fixture.schema() + ".hier_lock_buckets";
        assertThatThrownBy(() -> JdbcLockStore.builder(namespaces.pool())
                        .schema(fixture.schema())
                        .strategy(LockStrategy.ADVISORY)
                        .build())
                .isInstanceOf(BucketSpaceException.class);
        namespaces.execute("ALTER TABLE %s ENGINE = MyISAM".formatted(table));
        try {
            assertThatThrownBy(() -> fixture.open(SPACE))
                    .isInstanceOf(BucketSpaceException.class)
                    .hasMessageContaining("ENGINE = InnoDB");
        } finally {
            namespaces.execute("ALTER TABLE %s ENGINE = InnoDB".formatted(table));
        }
    }

    @Override
    public JdbcLockStore open(HikariDataSource pool) {
        return JdbcLockStore.builder(pool).schema(fixture.schema()).space(SPACE).build();
    }

    @Override
    public HikariDataSource pool() {
        return namespaces.pool();
    }

    @Override
    public String table() {
        return fixture.schema() + ".done";
    }

    @Override
    public Map<String, Boolean> endings() {
        return Map.of(
                "COMMIT",
                true,
                "ROLLBACK",
                true,
                "START TRANSACTION",
                true,
                "COMMIT AND CHAIN",
                true,
                "CREATE TABLE IF NOT EXISTS %s_more (value INT)".formatted(table()),
                true,
                "SET autocommit = 1",
                false);
    }

    @Override
    public String limit() {
        return "SET SESSION innodb_lock_wait_timeout = 1";
    }

    @Override
    public String askLimit() {
        return "SELECT @@SESSION.innodb_lock_wait_timeout";
    }

    @Override
    public boolean runsIgnoredDeadlockAgain() {
        return false;
    }

    @Override
    public JdbcLockFixture fixture() {
        return fixture;
    }

    @Override
    public String session(Connection connection) throws SQLException {
        return namespaces.session(connection);
    }

    /** The server ends the transaction that has changed fewer rows. */
    @Override
    public void spare(Connection transaction) throws SQLException {
        execute(transaction, "CREATE TABLE IF NOT EXISTS %s_heavy (value INT)".formatted(table()));
        execute(transaction, "INSERT INTO %s_heavy VALUES (1), (2), (3), (4), (5)".formatted(table()));
    }

    /** The connection of that session, which the pool has got back. */
    private Connection withSession(String session) throws SQLException {
        Connection connection = namespaces.pool().getConnection();
        if (ask(connection, "SELECT CONNECTION_ID()").equals(session)) {
            return connection;
        }
        try (connection) {
            return withSession(session);
        }
    }

    private String awaitBlocked(Connection waiter, Connection blocker) throws Exception {
        String session = namespaces.session(waiter);
        String expected = namespaces.session(blocker);
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!fixture.blockersOf(session).contains(expected)) {
            assertThat(System.nanoTime())
                    .as("session %s is not blocked", session)
                    .isLessThan(end);
        }
        return session;
    }

    private String settings(Connection connection) throws SQLException {
        return ask(connection, question());
    }

    private String question() {
        return "SELECT CONCAT_WS(' ', @@SESSION.transaction_isolation, @@SESSION.innodb_lock_wait_timeout, @@SESSION.wait_timeout, @@SESSION.%s, @@SESSION.autocommit)"
                .formatted(namespaces.mariadb() ? "idle_transaction_timeout" : "max_execution_time");
    }

    /** The call to be made. */
    interface Body {
        void run() throws Exception;
    }

    private static Future<Boolean> start(Body body) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                body.run();
                result.complete(true);
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    private static Throwable failure(Future<Boolean> call) throws Exception {
        try {
            throw new AssertionError("it succeeded: " + call.get(30, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return requireNonNull(e.getCause());
        }
    }

    private static PlannedLock exclusive(long bucket) {
        return new PlannedLock(new LockKey(0, bucket), LockMode.EXCLUSIVE);
    }

    private static LockDeadline in(Duration time) {
        return LockDeadline.start(LockWait.atMost(time), InstantSource.system());
    }

    private static LockDeadline forever() {
        return LockDeadline.start(LockWait.FOREVER, InstantSource.system());
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
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
