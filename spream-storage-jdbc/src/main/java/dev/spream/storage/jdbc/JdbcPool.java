package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.ConnectionPools;
import java.util.Optional;

/**
 * Opens a small pool of connections to PostgreSQL for {@link JdbcPartitionStorage}, and to PostgreSQL, MySQL or MariaDB
 * for locks. It closes connections that were idle for a minute, detects a dead server within seconds, and appears as
 * {@code spream} in {@code pg_stat_activity}. The driver of MySQL or MariaDB is not among spream's dependencies; add it
 * to yours.
 *
 * <p>Parameters of the URL override these settings, as in {@code ?ApplicationName=orders&socketTimeout=60}.
 */
public final class JdbcPool {
    private JdbcPool() {}

    /**
     * Opens a pool and a first connection. The caller closes the pool, after the storages that use it. Safe for use by
     * many threads.
     *
     * @param url as in {@code jdbc:postgresql://host:5432/database}, or {@code jdbc:mysql:} or {@code jdbc:mariadb:}
     * @param user the user; empty for the URL's, and else the driver's default
     * @param password the password; empty for the URL's, and else the driver's ways to find one
     * @throws IllegalArgumentException if the URL is not of a supported database, or its driver is missing
     * @throws StorageException if the first connection failed
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password) {
        return open(url, user, password, ConnectionPools.DEFAULT_CONNECTIONS);
    }

    /**
     * Opens a pool with that many connections.
     *
     * @param connections the maximum number of connections, at least 1; 8 without this parameter
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password, int connections) {
        return ConnectionPools.open(url, user, password, connections);
    }
}
