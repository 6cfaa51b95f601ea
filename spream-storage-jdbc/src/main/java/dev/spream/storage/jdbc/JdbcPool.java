package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.ConnectionPools;
import java.util.Optional;

/**
 * Opens a small pool of connections to PostgreSQL for {@link JdbcPartitionStorage}, and to PostgreSQL, MySQL or MariaDB
 * for locks. It holds no connection while nothing happens for a minute, notices a dead server within seconds, and shows
 * as {@code spream} in {@code pg_stat_activity}. The driver of MySQL or MariaDB is not among spream's dependencies; add
 * it to yours.
 *
 * <p>Parameters of the URL override these settings, as in {@code ?ApplicationName=orders&socketTimeout=60}.
 */
public final class JdbcPool {
    private JdbcPool() {}

    /**
     * A pool, once a first connection succeeded. The caller closes it, after the storages that use it. Safe for use by
     * many threads.
     *
     * @param url as in {@code jdbc:postgresql://host:5432/database}, or {@code jdbc:mysql:} or {@code jdbc:mariadb:}
     * @param user the user; empty for the URL's, and else the driver's default
     * @param password the password; empty for the URL's, and else the driver's ways to find one
     * @throws IllegalArgumentException if the URL is of no database that is known, or its driver is not there
     * @throws StorageException if the first connection failed
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password) {
        return open(url, user, password, ConnectionPools.DEFAULT_CONNECTIONS);
    }

    /**
     * The same with more or fewer connections.
     *
     * @param connections how many at most, at least 1; 8 otherwise
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password, int connections) {
        return ConnectionPools.open(url, user, password, connections);
    }
}
