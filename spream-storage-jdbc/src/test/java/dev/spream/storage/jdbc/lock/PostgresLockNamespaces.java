package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketSpace;
import dev.spream.storage.jdbc.DeadNetwork;
import dev.spream.storage.jdbc.TestDatabase;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Namespaces of locks in a database of their own, one for each space. When no transaction is open they are as good as new, so
 * tests that come one after the other can have the same.
 */
final class PostgresLockNamespaces implements AutoCloseable {
    private static final int CONNECTIONS = 60;
    private static final int CHUNK = 10_000;

    private final TestDatabase database = new TestDatabase();
    private final LockStrategy strategy;
    private final HikariDataSource pool;
    private final Map<BucketSpace, String> schemas = new ConcurrentHashMap<>();

    PostgresLockNamespaces(LockStrategy strategy) {
        this.strategy = strategy;
        this.pool = open(database.url());
    }

    private static HikariDataSource open(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** The address of the server. */
    String address() {
        return URI.create(database.url().substring("jdbc:".length())).getAuthority();
    }

    /** Another pool, whose connections lead through that network. */
    HikariDataSource openBehind(DeadNetwork network) {
        return open(database.url().replace(address(), network.address()));
    }

    LockStrategy strategy() {
        return strategy;
    }

    HikariDataSource pool() {
        return pool;
    }

    /** The namespace of that space, provisioned. */
    String schema(BucketSpace space) {
        return schemas.computeIfAbsent(space, this::provision);
    }

    private String provision(BucketSpace space) {
        String schema = "locks_%d".formatted(schemas.size());
        AskedLayout asked = AskedLayout.ANY.with(strategy).with(space);
        try (JdbcBucketProvisioning provisioning =
                JdbcBucketProvisioning.of(pool, Optional.of(schema), true, asked, CHUNK)) {
            provisioning.provision((done, all) -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return schema;
    }

    @Override
    public void close() {
        pool.close();
        database.close();
    }
}
