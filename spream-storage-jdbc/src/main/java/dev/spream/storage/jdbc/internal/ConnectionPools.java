package dev.spream.storage.jdbc.internal;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.spream.core.Secrets;
import dev.spream.core.StorageException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** Opens pools of connections, as {@code JdbcPool} describes. */
public final class ConnectionPools {
    public static final int DEFAULT_CONNECTIONS = 8;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration VALIDATION_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

    private ConnectionPools() {}

    public static HikariDataSource open(String url, Optional<String> user, Optional<String> password, int connections) {
        JdbcUrl parsed = JdbcUrl.parse(url);
        Map<String, String> taken = new LinkedHashMap<>(parsed.taken());
        user.ifPresent(name -> taken.put("user", name));
        password.ifPresent(secret -> taken.put("password", secret));
        taken.forEach((name, value) -> {
            if (JdbcUrl.isSecret(name)) {
                Secrets.add(value);
            }
        });
        try {
            return new HikariDataSource(pool(DriverDataSource.of(parsed, taken), connections));
        } catch (PoolInitializationException e) {
            throw failedConnection(parsed, Optional.ofNullable(taken.get("user")), e);
        }
    }

    /**
     * Returns the configuration of the pool. Secrets are kept in the data source, since the pool logs its
     * configuration.
     */
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
