package dev.spream.storage.jdbc.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.storage.jdbc.JdbcPool;
import java.time.Duration;
import java.util.List;

/** The keys by which every plug-in of this module finds its database, and the pool that they make. */
public final class ConnectionKeys {
    public static final ConfigKey<String> URL = ConfigKey.of(
                    "url",
                    new ConfigType<>(
                            "jdbc:postgresql://host:port/database", JdbcUrl::ofPostgresWithoutPassword, url -> url),
                    "The database.")
            .required();

    /** The same key, for plug-ins that do with MySQL and MariaDB as well. */
    public static final ConfigKey<String> URL_OF_ANY_KIND = ConfigKey.of(
                    "url",
                    new ConfigType<>(
                            "jdbc:postgresql://host:port/database, jdbc:mysql://… or jdbc:mariadb://…",
                            JdbcUrl::withoutPassword,
                            url -> url),
                    "The database.")
            .required();

    public static final ConfigKey<String> USER =
            ConfigKey.of("user", ConfigType.text(), "Who connects.").withDefaultMeaning("the URL's");
    public static final ConfigKey<String> PASSWORD = ConfigKey.of("password", ConfigType.text(), "The user's password.")
            .secret()
            .withDefaultMeaning("what the driver finds, in PGPASSWORD or ~/.pgpass");

    /** All of them, in the order in which they are explained. */
    public static final List<ConfigKey<?>> ALL = List.of(URL, USER, PASSWORD);

    private ConnectionKeys() {}

    /** The type of a key that names a schema. */
    public static ConfigType<String> schemaName() {
        return new ConfigType<>("lower-case identifier", text -> new SchemaName(text).value(), schema -> schema);
    }

    /** The durations of a type that the server's limits can express. */
    public static ConfigType<Duration> wholeSeconds(ConfigType<Duration> durations) {
        return new ConfigType<>(
                durations.label() + ", in whole seconds",
                text -> {
                    Duration duration = durations.read(text);
                    if (duration.toNanosPart() != 0) {
                        throw new IllegalArgumentException("expected whole seconds");
                    }
                    return duration;
                },
                durations.writer());
    }

    /** A pool for one plug-in, closed when the run has ended. */
    public static HikariDataSource open(PluginConfig config, PluginContext context) {
        return open(config, context, URL);
    }

    /** The same with that many connections at most. */
    public static HikariDataSource open(PluginConfig config, PluginContext context, int connections) {
        return closedWith(
                context, JdbcPool.open(config.get(URL), config.find(USER), config.find(PASSWORD), connections));
    }

    /** The same for a plug-in with that key. */
    public static HikariDataSource open(PluginConfig config, PluginContext context, ConfigKey<String> url) {
        return closedWith(context, JdbcPool.open(config.get(url), config.find(USER), config.find(PASSWORD)));
    }

    private static HikariDataSource closedWith(PluginContext context, HikariDataSource pool) {
        context.onClose(pool);
        return pool;
    }
}
