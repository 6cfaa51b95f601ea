package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockWait;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** One test's use of namespaces of locks in PostgreSQL. */
final class PostgresLockFixture implements BucketRowsFixture<Connection> {
    static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private static final int HANDLES = 16;

    private static final String BLOCKERS = "SELECT unnest(pg_blocking_pids(?::int))";

    /** The second argument is how many milliseconds to wait for the end of the session. */
    private static final String KILL = "SELECT pg_terminate_backend(?::int, 10000)";

    private static final String KILL_TRANSACTIONS = """
            SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                AND backend_type = 'client backend'""";

    private final PostgresLockNamespaces namespaces;
    private final ConcurrentLinkedQueue<LockStore<Connection>> stores = new ConcurrentLinkedQueue<>();
    private final List<LockKey> removed = new ArrayList<>();
    private volatile String schema = "";

    PostgresLockFixture(PostgresLockNamespaces namespaces) {
        this.namespaces = namespaces;
    }

    static LockDeadline in(Duration time) {
        return LockDeadline.start(LockWait.atMost(time), InstantSource.system());
    }

    @Override
    public LockStore<Connection> open(BucketSpace space, int handles) {
        LockStore<Connection> store = builder(space).handles(handles).build();
        stores.add(store);
        return store;
    }

    /** For a store that the test closes. */
    JdbcLockStore.Builder builder(BucketSpace space) {
        return builder(space, namespaces.pool());
    }

    /** The same over another pool. */
    JdbcLockStore.Builder builder(BucketSpace space, HikariDataSource pool) {
        schema = namespaces.schema(space);
        return JdbcLockStore.builder(pool)
                .schema(schema)
                .strategy(namespaces.strategy())
                .space(space)
                .handles(Math.min(HANDLES, pool.getMaximumPoolSize() - 1));
    }

    @Override
    public Connection beginOwn() {
        try {
            Connection connection = namespaces.pool().getConnection();
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void commitOwn(Connection transaction) {
        try {
            transaction.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void endOwn(Connection transaction) {
        try (transaction) {
            if (transaction.isValid(1) && !transaction.getAutoCommit()) {
                transaction.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Set<String> blockersOf(String session) {
        return ask(BLOCKERS, session);
    }

    @Override
    public void kill(String session) {
        ask(KILL, session);
    }

    @Override
    public void removeBucket(LockKey key) {
        ask("DELETE FROM \"%s\".hier_lock_buckets WHERE level = %d AND bucket = %d RETURNING bucket"
                .formatted(schema, key.level(), key.bucket()));
        removed.add(key);
    }

    private Set<String> ask(String sql, String... parameters) {
        try (Connection connection = namespaces.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                Set<String> answers = new HashSet<>();
                while (rows.next()) {
                    answers.add(rows.getString(1));
                }
                return answers;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The next test finds the namespace as this one did. */
    @Override
    public void close() {
        stores.forEach(LockStore::close);
        ask(KILL_TRANSACTIONS);
        removed.forEach(
                key -> ask("INSERT INTO \"%s\".hier_lock_buckets (level, bucket) VALUES (%d, %d) RETURNING bucket"
                        .formatted(schema, key.level(), key.bucket())));
    }
}
