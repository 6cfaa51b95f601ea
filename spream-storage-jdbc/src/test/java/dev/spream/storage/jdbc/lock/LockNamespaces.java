package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketSpace;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Namespaces of locks in a database of their own, one for each space. When no transaction is open they are as good as new, so
 * tests that come one after the other can have the same.
 */
abstract class LockNamespaces implements AutoCloseable {
    static final int CONNECTIONS = 60;
    private static final int CHUNK = 10_000;

    private final HikariDataSource pool;
    private final LockStrategy strategy;
    private final String prefix;
    private final Map<BucketSpace, String> schemas = new ConcurrentHashMap<>();

    LockNamespaces(HikariDataSource pool, LockStrategy strategy, String prefix) {
        this.pool = pool;
        this.strategy = strategy;
        this.prefix = prefix;
    }

    final HikariDataSource pool() {
        return pool;
    }

    final LockStrategy strategy() {
        return strategy;
    }

    final Collection<String> schemas() {
        return schemas.values();
    }

    /** The namespace of that space, provisioned. */
    final String schema(BucketSpace space) {
        return schemas.computeIfAbsent(space, this::provision);
    }

    private String provision(BucketSpace space) {
        String schema = "%s_%d".formatted(prefix, schemas.size());
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
    public abstract void close();
}
