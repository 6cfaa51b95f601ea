package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.servers.DeadNetwork;
import dev.spream.storage.jdbc.TestDatabase;
import java.net.URI;
import java.sql.SQLException;

/** Namespaces of locks in PostgreSQL, each a schema. */
final class PostgresLockNamespaces extends LockNamespaces {
    private final TestDatabase database;

    PostgresLockNamespaces(LockStrategy strategy) {
        this(new TestDatabase(), strategy);
    }

    private PostgresLockNamespaces(TestDatabase database, LockStrategy strategy) {
        super(open(database.url()), strategy, "locks");
        this.database = database;
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

    /** Waits until one of its sessions waits for a lock of another one. */
    void awaitBlocked() throws SQLException {
        database.awaitBlocked(1);
    }

    @Override
    public void close() {
        pool().close();
        database.close();
    }
}
