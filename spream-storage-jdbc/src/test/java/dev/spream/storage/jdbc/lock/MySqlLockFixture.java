package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariPoolMXBean;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockStore;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** One test's use of namespaces of locks in MySQL or MariaDB. */
final class MySqlLockFixture implements BucketRowsFixture<Connection> {
    private final MySqlLockNamespaces namespaces;
    private final ConcurrentLinkedQueue<LockStore<Connection>> stores = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Connection> own = new ConcurrentLinkedQueue<>();
    private final List<LockKey> removed = new ArrayList<>();
    private volatile String schema = "";

    MySqlLockFixture(MySqlLockNamespaces namespaces) {
        this.namespaces = namespaces;
    }

    @Override
    public LockStore<Connection> open(BucketSpace space, int handles) {
        schema = namespaces.schema(space);
        LockStore<Connection> store = JdbcLockStore.builder(namespaces.pool())
                .schema(schema)
                .space(space)
                .handles(handles)
                .build();
        stores.add(store);
        return store;
    }

    /** Returns the schema of the opened store's locks. */
    String schema() {
        return schema;
    }

    /** Other than by default, as every transaction of a program has to be that takes locks. */
    @Override
    public Connection beginOwn() {
        try {
            Connection connection = namespaces.pool().getConnection();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            own.add(connection);
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
            if (transaction.isValid(1)) {
                transaction.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Set<String> blockersOf(String session) {
        return namespaces.waits().blockersOf(session);
    }

    @Override
    public void kill(String session) {
        namespaces.waits().kill(session);
    }

    @Override
    public void removeBucket(LockKey key) {
        namespaces.execute("DELETE FROM %s.hier_lock_buckets WHERE level = %d AND bucket = %d"
                .formatted(schema, key.level(), key.bucket()));
        removed.add(key);
    }

    /** The next test finds the namespace as this one did. */
    @Override
    public void close() {
        stores.forEach(LockStore::close);
        own.forEach(this::endIfOpen);
        HikariPoolMXBean pool = namespaces.pool().getHikariPoolMXBean();
        if (pool.getActiveConnections() > 0) {
            throw new AssertionError("the test left %d connections open".formatted(pool.getActiveConnections()));
        }
        removed.forEach(key -> namespaces.execute("INSERT INTO %s.hier_lock_buckets (level, bucket) VALUES (%d, %d)"
                .formatted(schema, key.level(), key.bucket())));
    }

    private void endIfOpen(Connection connection) {
        try {
            if (!connection.isClosed()) {
                endOwn(connection);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
