package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockStore;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** One test's use of namespaces of locks. */
abstract class JdbcLockFixture implements BucketRowsFixture<Connection> {
    private final LockNamespaces namespaces;
    private final ConcurrentLinkedQueue<LockStore<Connection>> stores = new ConcurrentLinkedQueue<>();
    private final List<LockKey> removed = new ArrayList<>();
    private volatile String schema = "";

    JdbcLockFixture(LockNamespaces namespaces) {
        this.namespaces = namespaces;
    }

    @Override
    public final LockStore<Connection> open(BucketSpace space, int handles) {
        LockStore<Connection> store =
                builder(space, namespaces.pool()).handles(handles).build();
        stores.add(store);
        return store;
    }

    /** For a store over that pool, which the test closes. */
    final JdbcLockStore.Builder builder(BucketSpace space, DataSource pool) {
        schema = namespaces.schema(space);
        return JdbcLockStore.builder(pool)
                .schema(schema)
                .strategy(namespaces.strategy())
                .space(space);
    }

    /** Returns the schema of the opened store's locks. */
    final String schema() {
        return schema;
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
    public final void commitOwn(Connection transaction) {
        try {
            transaction.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final void endOwn(Connection transaction) {
        try (transaction) {
            if (transaction.isValid(1) && !transaction.getAutoCommit()) {
                transaction.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final void removeBucket(LockKey key) {
        execute("DELETE FROM %s.hier_lock_buckets WHERE level = %d AND bucket = %d", key);
        removed.add(key);
    }

    private void execute(String sql, LockKey key) {
        try (Connection connection = namespaces.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(schema, key.level(), key.bucket()));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends what the test left open. */
    abstract void endTransactions();

    /** The next test finds the namespace as this one did. */
    @Override
    public final void close() {
        stores.forEach(LockStore::close);
        endTransactions();
        removed.forEach(key -> execute("INSERT INTO %s.hier_lock_buckets (level, bucket) VALUES (%d, %d)", key));
    }
}
