package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Transactions of handles: their connections, what they are begun with, and what ends them. */
@ParameterizedClass
@MethodSource("dev.spream.storage.jdbc.lock.Matrix#strategies")
@Timeout(60)
final class PostgresHandlesIT {
    private static final int INTERRUPTS = 5;
    private static final int MOST_INTERRUPTS = 10_000;
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 1_000, 3);
    private static final int HANDLES = 3;
    private static final Duration STANDSTILL =
            Duration.ofMinutes(1); // longer than a test stands still on a busy machine

    private static final Map<LockStrategy, PostgresLockNamespaces> NAMESPACES = new EnumMap<>(LockStrategy.class);

    private final LockStrategy strategy;

    private PostgresLockNamespaces namespaces;
    private PostgresLockFixture fixture;
    private JdbcLockStore store;

    PostgresHandlesIT(LockStrategy strategy) {
        this.strategy = strategy;
    }

    @BeforeEach
    void open() {
        namespaces = NAMESPACES.computeIfAbsent(strategy, PostgresLockNamespaces::new);
        fixture = new PostgresLockFixture(namespaces);
        store = fixture.builder(SPACE)
                .handles(HANDLES)
                .holderTimeout(STANDSTILL)
                .build();
    }

    @AfterEach
    void close() {
        store.close();
        fixture.close();
    }

    @AfterAll
    static void drop() {
        NAMESPACES.values().forEach(PostgresLockNamespaces::close);
        NAMESPACES.clear();
    }

    @Test
    void a_process_that_stands_still_loses_its_locks() throws Exception {
        try (JdbcLockStore impatient = fixture.builder(SPACE)
                .handles(1)
                .holderTimeout(Duration.ofSeconds(1))
                .build()) {
            Connection still = impatient.begin(PostgresLockFixture.FOREVER);
            impatient.tryLock(still, locks(1, 1));
            Connection next = fixture.beginOwn();
            store.lock(next, locks(1, 1), PostgresLockFixture.FOREVER);
            assertThat(impatient.isAlive(still)).isFalse();
            assertThatThrownBy(() -> impatient.commit(still)).isInstanceOf(LockConnectionException.class);
            fixture.endOwn(next);
            impatient.end(still);
            assertThat(impatient
                            .tryLock(impatient.begin(PostgresLockFixture.FOREVER), locks(1, 1))
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void the_limit_of_standing_still_counts_in_every_transaction_of_a_handle() throws Exception {
        Connection handle = begin();
        for (int transaction = 0; transaction < 3; transaction++) {
            store.lock(handle, locks(1, 3), PostgresLockFixture.FOREVER);
            assertThat(ask(handle, "SHOW idle_in_transaction_session_timeout")).isEqualTo("1min");
            store.rollback(handle);
        }
        assertThat(ask(handle, "SHOW idle_in_transaction_session_timeout")).isEqualTo("0");
    }

    @Test
    void a_handle_is_read_committed_whatever_the_server_does_else_and_has_the_limit_of_statements_of_its_pool()
            throws Exception {
        try (HikariDataSource strict =
                        pool(4, "SET default_transaction_isolation = serializable; SET statement_timeout = '3s'");
                JdbcLockStore other = builder(strict).handles(1).build()) {
            Connection handle = other.begin(PostgresLockFixture.FOREVER);
            other.tryLock(handle, locks(1, 3));
            assertThat(ask(handle, "SHOW transaction_isolation")).isEqualTo("read committed");
            assertThat(ask(handle, "SHOW statement_timeout")).isEqualTo("3s");
            other.end(handle);
            try (Connection again = strict.getConnection()) {
                assertThat(ask(again, "SHOW transaction_isolation")).isEqualTo("serializable");
                assertThat(ask(again, "SHOW statement_timeout")).isEqualTo("3s");
            }
        }
    }

    @Test
    void the_network_timeout_of_a_handle_is_the_pools_whenever_the_store_asks_nothing() throws Exception {
        try (HikariDataSource limited = pool(2, "");
                JdbcLockStore other = builder(limited).handles(1).build()) {
            Connection handle = other.begin(PostgresLockFixture.FOREVER);
            int usual = 77_000;
            assertThat(handle.getNetworkTimeout()).isEqualTo(usual);
            other.tryLock(handle, locks(1, 3));
            assertThat(handle.getNetworkTimeout()).isEqualTo(usual);
            assertThat(other.isAlive(handle)).isTrue();
            assertThat(handle.getNetworkTimeout()).isEqualTo(usual);
            other.commit(handle);
            assertThat(handle.getNetworkTimeout()).isEqualTo(usual);
            other.end(handle);
            try (Connection again = limited.getConnection()) {
                assertThat(again.getAutoCommit()).isTrue();
                assertThat(again.getNetworkTimeout()).isEqualTo(usual);
            }
        }
    }

    @Test
    void an_interrupt_of_a_virtual_thread_that_takes_locks_is_told_as_such() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        // an answer that is there already is read all the same
        for (int attempt = 0; attempt < INTERRUPTS || (failures.isEmpty() && attempt < MOST_INTERRUPTS); attempt++) {
            Connection handle = begin();
            FutureTask<Boolean> locking = new FutureTask<>(() -> {
                Thread.currentThread().interrupt();
                try {
                    return store.tryLock(handle, locks(1, 3)).count() == 3;
                } finally {
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                }
            });
            Thread.ofVirtual().start(locking);
            try {
                assertThat(locking.get()).isTrue();
            } catch (ExecutionException e) {
                failures.add(e.getCause());
            }
            store.rollback(handle);
            store.end(handle);
        }
        assertThat(failures)
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(LockCancelledException.class)
                        .hasMessageContaining("the thread was interrupted, which closed the connection"));
    }

    @Test
    void a_handle_can_be_begun_after_one_whose_connection_is_broken() throws Exception {
        for (int handle = 0; handle < HANDLES + 1; handle++) {
            Connection broken = begin();
            fixture.kill(store.tryLock(broken, locks(1, 1)).session());
            store.rollback(broken);
            store.end(broken);
        }
        Connection next = begin();
        store.lock(next, locks(1, 1), PostgresLockFixture.in(Duration.ofSeconds(20)));
    }

    @Test
    void trying_stops_at_the_first_lock_that_is_not_to_be_had() throws Exception {
        Connection holder = begin();
        Connection other = begin();
        Connection third = begin();
        for (int busy : new int[] {1, 2, 6, 37, 300}) {
            store.tryLock(holder, locks(busy, busy));
            assertThat(store.tryLock(other, locks(1, 300)).count()).isEqualTo(busy - 1);
            assertThat(store.tryLock(third, locks(busy + 1, 301)).count()).isEqualTo(301 - busy);
            List.of(holder, other, third).forEach(store::rollback);
        }
    }

    @Test
    void waiting_takes_one_lock_after_the_other() throws Exception {
        Connection holder = begin();
        Connection other = begin();
        store.tryLock(holder, List.of(lock(5, LockMode.SHARED), lock(50, LockMode.EXCLUSIVE)));
        try (BlockedCall call = BlockedCall.start(
                fixture, other, () -> store.lock(other, locks(1, 100), PostgresLockFixture.FOREVER))) {
            call.awaitBlocked();
            Connection third = begin();
            assertThat(store.tryLock(third, locks(6, 49)).count()).isEqualTo(44);
            assertThat(store.tryLock(third, locks(1, 1)).count()).isZero();
            store.end(third);
            store.rollback(holder);
            call.awaitEnd();
        }
        assertThat(store.tryLock(holder, locks(100, 100)).count()).isZero();
    }

    @Test
    void there_are_no_more_handles_than_connections_for_them() throws Exception {
        for (int handle = 1; handle < HANDLES; handle++) {
            begin();
        }
        Connection last = begin();
        assertThatThrownBy(() -> store.begin(PostgresLockFixture.in(Duration.ofMillis(20))))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("all 3 connections for handles are in use");
        store.end(last);
        store.end(last);
        begin();
        assertThatThrownBy(() -> store.begin(PostgresLockFixture.in(Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void epochs_are_to_be_had_while_others_have_every_connection() throws Exception {
        try (HikariDataSource small = pool(HANDLES + 1, "");
                JdbcLockStore other = builder(small).handles(HANDLES).build()) {
            List<Connection> handles = new ArrayList<>();
            for (int i = 0; i < HANDLES; i++) {
                handles.add(other.begin(PostgresLockFixture.FOREVER));
            }
            long epoch = other.nextEpoch();
            assertThat(store.nextEpoch()).isEqualTo(epoch + 1);
            handles.forEach(other::end);
        }
        try (HikariDataSource small = pool(HANDLES, "")) {
            assertThatThrownBy(() -> builder(small).handles(HANDLES).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("3 handles need 4");
        }
    }

    @Test
    void epochs_continue_to_rise_after_their_connection_was_lost() throws Exception {
        try (HikariDataSource small = pool(HANDLES + 1, "SET application_name = 'epochs'");
                JdbcLockStore other = builder(small).handles(HANDLES).build();
                Connection own = namespaces.pool().getConnection()) {
            long epoch = other.nextEpoch();
            assertThat(ask(own, """
                            SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
                            WHERE application_name = 'epochs'""")).isEqualTo("1");
            assertThat(other.nextEpoch()).isEqualTo(epoch + 1);
        }
    }

    @Test
    void nothing_to_lock_is_had_at_once() throws Exception {
        Connection handle = begin();
        assertThat(store.tryLock(handle, List.of()).count()).isZero();
        store.lock(handle, List.of(), PostgresLockFixture.in(Duration.ZERO));
        assertThat(store.isAlive(handle)).isTrue();
    }

    @Test
    void closing_the_store_ends_its_handles_and_waits_in_the_database() throws Exception {
        Connection own = fixture.beginOwn();
        Connection holder = begin();
        Connection waiting = begin();
        store.tryLock(holder, locks(1, 1));
        try (BlockedCall call = BlockedCall.start(
                        fixture, waiting, () -> store.lock(waiting, locks(1, 1), PostgresLockFixture.FOREVER));
                BlockedCall joined = BlockedCall.start(
                        fixture, own, () -> store.lock(own, locks(1, 1), PostgresLockFixture.FOREVER))) {
            call.awaitBlocked();
            joined.awaitBlocked();
            store.close();
            for (BlockedCall ended : List.of(call, joined)) {
                assertThat(ended.failure())
                        .isInstanceOf(LockConnectionException.class)
                        .hasMessageContaining("the lock store is closed");
            }
        }
        own.rollback();
        assertThatThrownBy(this::begin).isInstanceOf(LockConnectionException.class);
        assertThatThrownBy(() -> store.nextEpoch()).isInstanceOf(LockConnectionException.class);
        try (JdbcLockStore next = fixture.builder(SPACE).build()) {
            next.lock(own, locks(1, 1), PostgresLockFixture.in(Duration.ofSeconds(30)));
        }
        fixture.endOwn(own);
    }

    @Test
    void more_locks_than_a_call_may_take_are_refused() throws Exception {
        Connection handle = begin();
        assertThatThrownBy(() -> store.tryLock(handle, locks(0, 10_000)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("lock a common parent");
    }

    private Connection begin() throws InterruptedException {
        return store.begin(PostgresLockFixture.FOREVER);
    }

    private JdbcLockStore.Builder builder(HikariDataSource dataSource) {
        return JdbcLockStore.builder(dataSource)
                .schema(namespaces.schema(SPACE))
                .strategy(strategy)
                .space(SPACE);
    }

    private HikariDataSource pool(int connections, String initially) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(namespaces.pool().getJdbcUrl());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.addDataSourceProperty("socketTimeout", "77");
        if (!initially.isEmpty()) {
            config.setConnectionInitSql(initially);
        }
        return new HikariDataSource(config);
    }

    private static List<PlannedLock> locks(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(bucket -> lock(bucket, LockMode.EXCLUSIVE))
                .toList();
    }

    private static PlannedLock lock(int bucket, LockMode mode) {
        return new PlannedLock(new LockKey(0, bucket), mode);
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
