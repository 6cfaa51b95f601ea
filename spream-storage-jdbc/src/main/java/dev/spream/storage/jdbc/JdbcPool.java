package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.spream.core.Secrets;
import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.DriverDataSource;
import dev.spream.storage.jdbc.internal.JdbcUrl;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Opens a small pool of connections to PostgreSQL for {@link JdbcPartitionStorage}, and to PostgreSQL, MySQL or MariaDB for
 * locks. It holds no connection while nothing
 * happens for a minute, notices a dead server within seconds, and shows as {@code spream} in {@code pg_stat_activity}.
 * The driver of MySQL or MariaDB is not among spream's dependencies: whoever uses one adds it.
 *
 * <p>What the URL says wins over these settings, as in {@code ?ApplicationName=orders&socketTimeout=60}.
 */
public final class JdbcPool {
    private static final int MAX_CONNECTIONS = 8;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration VALIDATION_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

    private JdbcPool() {}

    /**
     * A pool, once a first connection succeeded. Whoever opened it closes it, after the storages that use it. Safe for use by
     * many threads.
     *
     * @param url as in {@code jdbc:postgresql://host:5432/database}, or {@code jdbc:mysql:} or {@code jdbc:mariadb:}
     * @param user the user; empty for the URL's, and else the driver's default
     * @param password the password; empty for the URL's, and else the driver's ways to find one
     * @throws IllegalArgumentException if the URL is of no database that is known, or its driver is not there
     * @throws StorageException if the first connection failed
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password) {
        return open(url, user, password, MAX_CONNECTIONS);
    }

    /**
     * The same with more or fewer connections.
     *
     * @param connections how many at most, at least 1; 8 otherwise
     */
    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password, int connections) {
        JdbcUrl parsed = JdbcUrl.parse(url);
        Map<String, String> taken = new LinkedHashMap<>(parsed.taken());
        user.ifPresent(name -> taken.put("user", name));
        password.ifPresent(secret -> taken.put("password", secret));
        Optional.ofNullable(taken.get("password")).ifPresent(Secrets::add);
        try {
            return new HikariDataSource(pool(DriverDataSource.of(parsed, taken), connections));
        } catch (PoolInitializationException e) {
            throw failedConnection(parsed, Optional.ofNullable(taken.get("user")), e);
        }
    }

    /** Secrets are in the source and not in the pool's configuration, which the pool logs. */
    private static HikariConfig pool(DataSource server, int connections) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("spream");
        config.setDataSource(server);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_TIMEOUT.toMillis());
        config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
        config.setValidationTimeout(VALIDATION_TIMEOUT.toMillis());
        return config;
    }

    private static StorageException failedConnection(
            JdbcUrl url, Optional<String> user, PoolInitializationException failure) {
        String what = "connecting to %s%s"
                .formatted(url, user.map(" as user '%s'"::formatted).orElse(""));
        return failure.getCause() instanceof SQLException cause
                ? SqlErrors.storageException(what, cause)
                : new StorageException(what + " failed: " + failure.getMessage(), false, failure);
    }
}
