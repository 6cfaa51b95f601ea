package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The privileges that docs/locks.md lists are enough, and without them a failure names the table. */
@Timeout(60)
final class LockGrantsIT {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 10, 3);
    private static final LockRequest ACCOUNT = LockRequest.exclusive(LockTarget.account("u1", "a1"));

    @ParameterizedTest
    @EnumSource
    void a_role_of_postgres_that_may_not_create_tables_locks(LockStrategy strategy) throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            provision(database.dataSource(), strategy);
            database.execute(
                    "CREATE ROLE locker LOGIN",
                    "GRANT USAGE ON SCHEMA spream TO locker",
                    "GRANT SELECT ON ALL TABLES IN SCHEMA spream TO locker",
                    "GRANT UPDATE ON spream.hier_lock_epoch TO locker",
                    "GRANT INSERT, UPDATE, DELETE ON spream.hier_lock_owner, spream.hier_lock_wait TO locker");
            if (strategy == LockStrategy.ROWS) {
                database.execute("GRANT UPDATE ON spream.hier_lock_buckets TO locker");
            }
            try (HikariDataSource user = new HikariDataSource()) {
                user.setJdbcUrl(database.url().replaceFirst("user=\\w+", "user=locker"));
                lock(user);
                try (JdbcLockStore store =
                                JdbcLockStore.builder(database.dataSource()).build();
                        HierarchicalLocks<Connection> others = HierarchicalLocks.over(store);
                        LockHandle held = others.acquire(ACCOUNT)) {
                    assertThat(notes(user)).singleElement().asString().contains("GRANT pg_read_all_stats TO locker");
                    database.execute("GRANT pg_read_all_stats TO locker");
                    assertThat(notes(user)).isEmpty();
                    held.requireHeld();
                }
                database.execute("REVOKE UPDATE ON spream.hier_lock_epoch FROM locker");
                requireRefusal(user);
            } finally {
                database.execute("DROP OWNED BY locker", "DROP ROLE locker");
            }
        }
    }

    @Test
    void a_user_of_mariadb_that_may_not_create_tables_locks() throws Exception {
        try (MySqlDatabase database = new MySqlDatabase(MySqlServer.embedded())) {
            provision(database.dataSource(), LockStrategy.ROWS);
            database.execute(
                    "CREATE OR REPLACE USER locker IDENTIFIED BY 'secret'",
                    "GRANT SELECT ON %s.* TO locker".formatted(database.name()),
                    "GRANT UPDATE ON hier_lock_epoch TO locker",
                    "GRANT UPDATE ON hier_lock_buckets TO locker",
                    "GRANT INSERT, UPDATE, DELETE ON hier_lock_owner TO locker",
                    "GRANT INSERT, UPDATE, DELETE ON hier_lock_wait TO locker");
            try (HikariDataSource user = locker(database)) {
                lock(user);
                assertThatThrownBy(() -> notes(user))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("GRANT PROCESS ON *.* TO");
                database.execute("GRANT PROCESS ON *.* TO locker", "REVOKE UPDATE ON hier_lock_epoch FROM locker");
                requireRefusal(user);
            }
            try (HikariDataSource user = locker(database)) { // the grant counts in later sessions
                assertThat(notes(user)).isEmpty();
            } finally {
                database.execute("DROP USER locker");
            }
        }
    }

    private static HikariDataSource locker(MySqlDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.mariadbUrl());
        pool.setUsername("locker");
        pool.setPassword("secret");
        return pool;
    }

    private static void provision(DataSource owner, LockStrategy strategy) throws InterruptedException {
        JdbcLockStore.Builder builder =
                JdbcLockStore.builder(owner).strategy(strategy).space(SPACE).handles(2);
        try (BucketProvisioning rows = builder.provisioning()) {
            rows.provision((done, all) -> {});
        }
        builder.build().close();
    }

    private static void lock(DataSource user) throws InterruptedException {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(user).migrate(false);
        try (JdbcLockStore store = builder.build();
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            assertThat(locks.<Boolean, RuntimeException>transact(ACCOUNT, connection -> true))
                    .isTrue();
            try (LockHandle handle = locks.acquire(ACCOUNT)) {
                assertThat(handle.epoch()).isPositive();
            }
            LockReport report = new LockReport(
                    "process",
                    List.of(new LockReport.Owner(
                            "1", "", ACCOUNT.targets(), Map.of(), Duration.ofSeconds(1), Duration.ZERO)),
                    List.of(new LockReport.BucketWaits(new LockKey(0, 1), 1, Duration.ofSeconds(1))));
            store.report(report);
            store.report(report);
        }
        assertThat(problems(builder)).isEmpty();
    }

    private static List<String> notes(DataSource user) {
        return JdbcLockObserver.of(user, Optional.empty()).observe().notes();
    }

    private static List<String> problems(JdbcLockStore.Builder builder) throws InterruptedException {
        try (BucketProvisioning rows = builder.provisioning()) {
            return rows.check((done, all) -> {}).problems();
        }
    }

    private static void requireRefusal(DataSource user) throws InterruptedException {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(user).migrate(false);
        assertThat(problems(builder)).singleElement().asString().contains("hier_lock_epoch", "grant the user");
        try (JdbcLockStore store = builder.build()) {
            assertThatThrownBy(store::nextEpoch)
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("hier_lock_epoch")
                    .hasMessageContaining("grant the user");
        }
    }
}
