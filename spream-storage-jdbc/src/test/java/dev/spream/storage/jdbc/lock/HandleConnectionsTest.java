package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.postgres.PostgresLockTables;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the connections of handles, with a connection that fails on demand. */
final class HandleConnectionsTest {
    private static final int POOL_TIMEOUT = 42;
    private static final int ANSWER_TIME = 7_000;
    private static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private final FakeConnection fake = new FakeConnection();
    private final Connection connection = fake.proxy();
    private volatile Runnable onGetConnection = () -> {};
    private final LockSql sql =
            PostgresLockTables.in(dataSource(), Optional.empty()).advisoryLocks();
    private final HandleConnections handles = new HandleConnections(
            dataSource(), sql, new DatabaseWaits(sql), 2, Duration.ofMinutes(1), Duration.ofMillis(ANSWER_TIME));

    @Test
    void only_what_the_store_asks_has_to_be_answered_in_its_time() throws Exception {
        Connection lent = handles.begin(FOREVER);
        assertThat(lent.getNetworkTimeout()).isEqualTo(POOL_TIMEOUT);
        assertThat(handles.ask(lent, Connection::getNetworkTimeout)).isEqualTo(ANSWER_TIME);
        assertThat(lent.getNetworkTimeout()).isEqualTo(POOL_TIMEOUT);
        assertThatThrownBy(() -> handles.ask(lent, real -> {
                    throw new SQLException("wrong");
                }))
                .hasMessage("wrong");
        assertThat(lent.getNetworkTimeout()).isEqualTo(POOL_TIMEOUT);
        assertThat(handles.ask(connection, Connection::getNetworkTimeout))
                .as("of a connection that is the caller's")
                .isEqualTo(POOL_TIMEOUT);
    }

    @Test
    void a_connection_is_given_back_as_it_was_even_if_work_changed_or_closed_it() throws Exception {
        Connection lent = handles.begin(FOREVER);
        assertThat(fake.autoCommit).isFalse();
        fake.networkTimeout = 1;
        lent.close();
        assertThat(lent.isClosed()).isFalse();
        handles.end(lent);
        assertThat(fake.rollbacks).isEqualTo(1);
        assertThat(fake.autoCommit).isTrue();
        assertThat(fake.networkTimeout).isEqualTo(POOL_TIMEOUT);
        assertThat(fake.closed).isTrue();
        assertThat(fake.aborted).isFalse();
        assertThat(lent.isClosed()).isTrue();
    }

    @Test
    void a_lent_connection_is_itself_and_leads_to_no_other() throws Exception {
        Connection lent = handles.begin(FOREVER);
        assertThat(Set.of(lent, connection)).hasSize(2).contains(lent);
        assertThat(lent.isWrapperFor(Connection.class)).isTrue();
        assertThat(lent.unwrap(Connection.class)).isSameAs(lent);
    }

    @Test
    void a_connection_that_cannot_roll_back_is_closed_so_that_the_server_does() throws Exception {
        Connection lent = handles.begin(FOREVER);
        fake.failing = true;
        handles.rollback(lent);
        assertThat(fake.aborted).isTrue();
    }

    @Test
    void a_connection_of_the_callers_that_cannot_roll_back_is_closed_as_well() {
        fake.failing = true;
        handles.rollback(connection);
        assertThat(fake.aborted).isTrue();
    }

    @Test
    void a_handle_that_ends_without_a_rollback_gives_back_nothing_that_can_be_used() throws Exception {
        Connection lent = handles.begin(FOREVER);
        fake.failing = true;
        handles.end(lent);
        assertThat(fake.aborted).isTrue();
        assertThat(fake.closed).isTrue();
    }

    @Test
    void a_handle_that_begins_while_the_store_closes_does_not_outlive_it() {
        onGetConnection = handles::startClosing;
        assertThatThrownBy(() -> handles.begin(FOREVER))
                .isInstanceOf(LockConnectionException.class)
                .hasMessageContaining("the lock store is closed");
        assertThat(fake.closed).isTrue();
    }

    @Test
    void a_connection_that_the_store_closes_is_given_back_once_it_is_closed() throws Exception {
        Connection lent = handles.begin(FOREVER);
        fake.onAbort = () -> handles.end(lent);
        BoundedCall.awaitAll(handles.startClosing(), Duration.ofSeconds(30));
        assertThat(fake.ends).containsExactly("aborted", "given back");
    }

    @Test
    void a_rollback_that_meets_the_end_of_the_store_fails_for_no_other_reason() throws Exception {
        Connection lent = handles.begin(FOREVER);
        fake.failing = true;
        fake.onRollback = () -> BoundedCall.awaitAll(handles.startClosing(), Duration.ofSeconds(30));
        handles.rollback(lent);
        handles.end(lent);
        assertThat(fake.ends).containsOnlyOnce("given back");
    }

    @Test
    void a_pool_without_a_connection_does_not_hold_a_call_up_for_longer_than_its_time() throws Exception {
        CountDownLatch given = new CountDownLatch(1);
        onGetConnection = () -> awaitStubbornly(given);
        for (LockWait wait : List.of(LockWait.NONE, LockWait.atMost(Duration.ofMillis(500)))) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> handles.begin(LockDeadline.start(wait, InstantSource.system())))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("the pool had no connection within");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        }
        assertThatThrownBy(() -> handles.begin(LockDeadline.start(LockWait.NONE, InstantSource.system())))
                .as("a connection that may still come has its permit")
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("all 2 connections for handles are in use");

        given.countDown();
        handles.end(handles.begin(FOREVER)); // has to wait for the permit of one that came too late
        assertThat(fake.closed).as("given back").isTrue();
    }

    /** A pool opens one when it is needed, and a server that has much to do takes its time. */
    @Test
    void a_call_that_does_not_wait_for_locks_waits_for_a_connection_that_is_being_opened() throws Exception {
        onGetConnection = () -> LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
        handles.end(handles.begin(LockDeadline.start(LockWait.NONE, InstantSource.system())));
    }

    @Test
    void a_call_with_a_time_of_its_own_waits_no_longer_for_a_connection_that_is_being_opened() {
        CountDownLatch given = new CountDownLatch(1);
        onGetConnection = () -> awaitStubbornly(given);
        LockWait wait = LockWait.atMost(Duration.ofMillis(300));
        try {
            assertThatThrownBy(() -> handles.begin(LockDeadline.start(wait, InstantSource.system())))
                    .isInstanceOf(LockTimeoutException.class)
                    .message() // the 300 ms, or what is left of them
                    .containsPattern("no connection within (2[5-9]\\d|300)(\\.\\d+)? ms");
        } finally {
            given.countDown();
        }
    }

    /** As a data source that an interrupt does not reach. */
    private static void awaitStubbornly(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                done = false;
            }
        }
    }

    @Test
    void an_interrupted_call_leaves_the_pool_at_once() throws Exception {
        CountDownLatch given = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        onGetConnection = () -> {
            asked.countDown();
            awaitStubbornly(given);
        };
        FutureTask<Connection> call = new FutureTask<>(
                () -> handles.begin(LockDeadline.start(LockWait.atMost(Duration.ofDays(1)), InstantSource.system())));
        Thread caller = Thread.ofVirtual().start(call);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        caller.interrupt();
        assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        given.countDown();
    }

    private DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    onGetConnection.run();
                    return connection;
                });
    }

    /** A connection that records its state, and fails to roll back on demand. */
    private static final class FakeConnection {
        private boolean autoCommit = true;
        private int networkTimeout = POOL_TIMEOUT;
        private int rollbacks;
        private boolean failing;
        private boolean aborted;
        private boolean closed;
        private Runnable onAbort = () -> {};
        private Runnable onRollback = () -> {};
        private final List<String> ends = new CopyOnWriteArrayList<>();

        Connection proxy() {
            return (Connection) Proxy.newProxyInstance(
                    FakeConnection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> call(proxy, method.getName(), arguments));
        }

        @SuppressWarnings("ReferenceEquality") // it is what this equality is
        private @Nullable Object call(Object proxy, String method, Object @Nullable [] arguments) throws SQLException {
            return switch (method) {
                case "getAutoCommit" -> autoCommit;
                case "setAutoCommit" -> {
                    autoCommit = (boolean) argument(arguments, 0);
                    yield null;
                }
                case "getNetworkTimeout" -> networkTimeout;
                case "setNetworkTimeout" -> {
                    networkTimeout = (int) argument(arguments, 1);
                    yield null;
                }
                case "rollback" -> {
                    Runnable meanwhile = onRollback;
                    onRollback = () -> {};
                    meanwhile.run();
                    if (failing) {
                        throw new SQLException("the rollback failed");
                    }
                    rollbacks++;
                    yield null;
                }
                case "abort" -> {
                    aborted = true;
                    onAbort.run();
                    ends.add("aborted");
                    yield null;
                }
                case "close" -> {
                    closed = true;
                    ends.add("given back");
                    yield null;
                }
                case "isClosed" -> closed;
                case "isWrapperFor" -> true;
                case "unwrap" -> proxy;
                case "equals" -> proxy == argument(arguments, 0);
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "fake";
                default -> throw new AssertionError("not expected: " + method);
            };
        }

        private static Object argument(Object @Nullable [] arguments, int index) {
            if (arguments == null) {
                throw new AssertionError("no arguments");
            }
            return arguments[index];
        }
    }
}
