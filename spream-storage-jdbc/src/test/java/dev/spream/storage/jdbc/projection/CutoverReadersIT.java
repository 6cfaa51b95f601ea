package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.spream.core.StorageException;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.testkit.event.Threads;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests of readers during a cutover, and of their waits. */
@Timeout(120)
final class CutoverReadersIT {
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final TestProjections test = new TestProjections();
    private final ProjectionRebuilds rebuilds = test.operations.rebuilds();
    private final Threads threads = new Threads();

    @BeforeEach
    void aVersionThatIsBuilt() throws Exception {
        CutoverTablesIT.build(test);
    }

    @AfterEach
    void close() {
        threads.close();
        test.close();
    }

    @Test
    void a_snapshot_older_than_the_complete_version_is_named_and_nothing_changes() throws Exception {
        try (Reader reader = new Reader(Connection.TRANSACTION_REPEATABLE_READ)) {
            assertThat(reader.read("SELECT 'a report'")).containsExactly("a report");
            test.execute("INSERT INTO public__balances_v2.balances VALUES ('late', 1)");
            assertThatIllegalStateException()
                    .isThrownBy(() -> rebuilds.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                    .withMessageContaining("session %d".formatted(reader.session))
                    .withMessageContaining("SELECT 'a report'")
                    .withMessageContaining("nothing was changed");
            assertThat(reader.read("SELECT key FROM public.balances")).containsExactly("old");
        }
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    @Test
    void a_later_snapshot_is_not_awaited_and_sees_the_complete_version() throws Exception {
        Reader before = new Reader(Connection.TRANSACTION_REPEATABLE_READ);
        before.read("SELECT 1");
        test.execute("INSERT INTO public__balances_v2.balances VALUES ('late', 1)");
        Future<CutoverReport> cutOver = threads.start(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT));
        awaitWaitingForSnapshots(cutOver);
        try (Reader after = new Reader(Connection.TRANSACTION_REPEATABLE_READ)) {
            after.read("SELECT 1");
            before.close();
            assertThat(Threads.resultOf(cutOver).to()).isEqualTo(2);
            assertThat(after.read("SELECT key FROM public.balances ORDER BY 1")).containsExactly("late", "new");
        }
    }

    @Test
    void an_open_transaction_with_a_new_snapshot_is_no_longer_awaited() throws Exception {
        try (Reader reader = new Reader(Connection.TRANSACTION_READ_COMMITTED)) {
            reader.read("SELECT 1");
            Future<CutoverReport> cutOver = threads.start(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT));
            awaitWaitingForSnapshots(cutOver);
            test.execute("INSERT INTO public__balances_v2.balances VALUES ('late', 1)");
            reader.read("SELECT 1");
            assertThat(Threads.resultOf(cutOver).to()).isEqualTo(2);
            assertThat(reader.read("SELECT key FROM public.balances ORDER BY 1"))
                    .containsExactly("late", "new");
        }
    }

    private void awaitWaitingForSnapshots(Future<?> cutOver) throws Exception {
        await(cutOver, """
                SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(0.02)'""");
    }

    @Test
    void a_session_that_locks_a_table_is_named_and_nothing_changes() throws Exception {
        try (Reader reader = new Reader(Connection.TRANSACTION_READ_COMMITTED)) {
            reader.holdTable();
            assertThatIllegalStateException()
                    .isThrownBy(() -> rebuilds.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                    .withMessageContaining("could not be locked: session %d".formatted(reader.session))
                    .withMessageContaining("nothing was changed");
        }
        assertThat(test.balances()).containsExactly("old,1");
    }

    @Test
    void an_operator_that_may_not_see_other_sessions_is_told_the_missing_privilege() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS version_operator",
                "CREATE ROLE version_operator LOGIN",
                "GRANT CREATE ON DATABASE \"%s\" TO version_operator"
                        .formatted(test.rows("SELECT current_database()").getFirst()),
                "GRANT USAGE, CREATE ON SCHEMA public, spream, public__balances_v2 TO version_operator",
                "GRANT ALL ON ALL TABLES IN SCHEMA spream TO version_operator",
                "ALTER TABLE public.balances OWNER TO version_operator",
                "ALTER TABLE public__balances_v2.balances OWNER TO version_operator");
        PGSimpleDataSource asOperator = new PGSimpleDataSource();
        asOperator.setUrl(test.database().url().replaceFirst("user=\\w+", "user=version_operator"));
        try (JdbcProjectionOperations operator =
                JdbcProjectionOperations.builder(asOperator).migrate(false).build()) {
            ProjectionRebuilds hers = operator.rebuilds();
            try (Reader reader = new Reader(Connection.TRANSACTION_REPEATABLE_READ)) {
                reader.read("SELECT 1");
                assertThatIllegalStateException()
                        .isThrownBy(() -> hers.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                        .withMessageContaining("session %d".formatted(reader.session))
                        .withMessageContaining("address not known")
                        .withMessageContaining(
                                "for an unknown time and with an unknown statement: grant pg_read_all_stats");
            }
            try (Reader reader = new Reader(Connection.TRANSACTION_READ_COMMITTED)) {
                reader.holdTable();
                assertThatIllegalStateException()
                        .isThrownBy(() -> hers.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                        .withMessageContaining("could not be locked: session %d".formatted(reader.session))
                        .withMessageContaining(
                                "for an unknown time and with an unknown statement: grant pg_read_all_stats");
            }
        } finally {
            test.execute("DROP OWNED BY version_operator CASCADE", "DROP ROLE version_operator");
        }
    }

    /** As a vacuum does that the server began by itself. */
    @Test
    void a_lock_that_is_released_after_the_deadlock_timeout_is_awaited() throws Exception {
        Future<CutoverReport> cutOver;
        try (Reader reader = new Reader(Connection.TRANSACTION_READ_COMMITTED)) {
            reader.holdTable();
            cutOver = threads.start(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT));
            await(cutOver, """
                    SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'relation' AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND clock_timestamp() - waitstart > current_setting('deadlock_timeout')::interval""");
        }
        assertThat(Threads.resultOf(cutOver).to()).isEqualTo(2);
    }

    private void await(Future<?> running, String condition) throws SQLException, InterruptedException {
        while (!test.rows(condition).equals(List.of("t"))) {
            assertThat(running).isNotDone();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Test
    void readers_do_not_wait_for_a_stalled_operator() throws Exception {
        CountDownLatch standing = new CountDownLatch(1);
        CountDownLatch continued = new CountDownLatch(1);
        Future<CutoverReport> cutOver;
        try (JdbcProjectionOperations operator =
                JdbcProjectionOperations.create(stopping(test.dataSource(), standing, continued))) {
            cutOver = threads.start(() -> operator.rebuilds().cutOver(NAME, 2, TIMEOUT, Set.of(), ACT));
            Threads.await(standing);
            assertThat(Threads.resultOf(threads.start(test::balances))).containsExactly("old,1");
            continued.countDown();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(cutOver::get)
                    .withCauseInstanceOf(StorageException.class);
        }
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).from()).isEqualTo(1);
    }

    /** Stands still before it moves the first table. */
    private static DataSource stopping(DataSource real, CountDownLatch standing, CountDownLatch continued) {
        return proxy(DataSource.class, (method, arguments) -> {
            Object result = method.invoke(real, arguments);
            return result instanceof Connection connection ? stopping(connection, standing, continued) : result;
        });
    }

    private static Connection stopping(Connection real, CountDownLatch standing, CountDownLatch continued) {
        return proxy(Connection.class, (method, arguments) -> {
            Object result = method.invoke(real, arguments);
            return method.getName().equals("createStatement")
                    ? stopping((Statement) result, standing, continued)
                    : result;
        });
    }

    private static Statement stopping(Statement real, CountDownLatch standing, CountDownLatch continued) {
        return proxy(Statement.class, (method, arguments) -> {
            if (method.getName().equals("execute") && arguments[0].toString().startsWith("ALTER TABLE")) {
                standing.countDown();
                continued.await();
            }
            return method.invoke(real, arguments);
        });
    }

    private interface Call {
        @Nullable
        Object of(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return call.of(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }

    /** A transaction that reads, until it is closed. */
    private final class Reader implements AutoCloseable {
        private final Connection connection = test.dataSource().getConnection();
        private final int session =
                connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();

        Reader(int isolation) throws SQLException {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(isolation);
        }

        /** Locks the table as a reader does, but without a snapshot. */
        void holdTable() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("LOCK TABLE public.balances IN ACCESS SHARE MODE");
            }
        }

        List<String> read(String sql) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery(sql)) {
                List<String> rows = new ArrayList<>();
                while (result.next()) {
                    rows.add(result.getString(1));
                }
                return rows;
            }
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.setAutoCommit(true);
            connection.close();
        }
    }
}
