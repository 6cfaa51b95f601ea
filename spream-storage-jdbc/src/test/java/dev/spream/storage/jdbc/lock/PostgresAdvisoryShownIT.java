package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class PostgresAdvisoryShownIT extends ShownLocksContract {
    private static final String SCHEMA = "shown_advisory";
    private static final TestDatabase DATABASE = new TestDatabase();

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Override
    DataSource dataSource() {
        return DATABASE.dataSource();
    }

    @Override
    JdbcLockStore open() throws InterruptedException {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(dataSource())
                .schema(SCHEMA)
                .strategy(LockStrategy.ADVISORY)
                .space(SPACE);
        try (BucketProvisioning provisioning = builder.provisioning()) {
            provisioning.provision((done, all) -> {});
        }
        return builder.build();
    }

    @Test
    void a_lock_that_a_session_holds_outside_of_transactions_is_another_programs() throws Exception {
        try (JdbcLockStore store = open();
                Connection foreign = dataSource().getConnection();
                Statement statement = foreign.createStatement()) {
            long number = numberOf(new LockKey(0, 1), store, foreign);
            statement.execute("SELECT pg_advisory_lock(%d)".formatted(number));
            assertThat(observer().observe().sessions()).isEmpty();
            foreign.setAutoCommit(false);
            assertThat(store.tryLock(foreign, List.of(new PlannedLock(new LockKey(0, 2), LockMode.SHARED)))
                            .count())
                    .isEqualTo(1);
            assertThat(observer().observe().sessions()).hasSize(1);
            foreign.rollback();
            statement.execute("SELECT pg_advisory_unlock_all()");
            foreign.commit();
        }
    }

    /** As the server shows it while the key is locked. */
    private static long numberOf(LockKey key, JdbcLockStore store, Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        store.tryLock(connection, List.of(new PlannedLock(key, LockMode.EXCLUSIVE)));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
                        WHERE locktype = 'advisory' AND pid = pg_backend_pid()""")) {
            row.next();
            return row.getLong(1);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    JdbcLockObserver observer() {
        return JdbcLockObserver.of(dataSource(), Optional.of(SCHEMA));
    }

    @Override
    void execute(String sql) {
        DATABASE.execute("SET search_path = " + SCHEMA, sql);
    }

    @Override
    String work() {
        return SCHEMA + ".work";
    }

    @Override
    boolean isComplete() {
        return true;
    }

    @Override
    boolean showsKeys() {
        return isComplete();
    }
}
