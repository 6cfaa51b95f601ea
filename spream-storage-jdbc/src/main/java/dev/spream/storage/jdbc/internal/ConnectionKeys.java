package dev.spream.storage.jdbc.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The configuration keys of the database, shared by all plug-ins of this module, and the pool that they configure. */
public final class ConnectionKeys {
    public static final ConfigKey<String> URL = ConfigKey.of(
                    "url",
                    new ConfigType<>(
                            "jdbc:postgresql://host:port/database", JdbcUrl::ofPostgresWithoutPassword, url -> url),
                    "The database.")
            .required();

    /** The key {@code url} for plug-ins that support MySQL and MariaDB as well. */
    public static final ConfigKey<String> URL_OF_ANY_KIND = ConfigKey.of(
                    "url",
                    new ConfigType<>(
                            "jdbc:postgresql://host:port/database, jdbc:mysql://… or jdbc:mariadb://…",
                            JdbcUrl::withoutPassword,
                            url -> url),
                    "The database.")
            .required();

    public static final ConfigKey<String> USER =
            ConfigKey.of("user", ConfigType.text(), "The user of the database.").withDefaultMeaning("the URL's");
    public static final ConfigKey<String> PASSWORD = ConfigKey.of("password", ConfigType.text(), "The user's password.")
            .secret()
            .withDefaultMeaning("what the driver finds in PGPASSWORD or ~/.pgpass");

    private static final ConfigType<String> SCHEMA_NAME =
            new ConfigType<>("lower-case identifier", text -> new SchemaName(text).value(), schema -> schema);

    private ConnectionKeys() {}

    /** Returns the keys of the connection and these, in the order in which they are documented. */
    public static List<ConfigKey<?>> with(ConfigKey<?>... others) {
        return Stream.concat(Stream.of(URL, USER, PASSWORD), Stream.of(others)).toList();
    }

    /** The same for plug-ins that support MySQL and MariaDB as well. */
    public static List<ConfigKey<?>> ofAnyKindWith(ConfigKey<?>... others) {
        return Stream.concat(Stream.of(URL_OF_ANY_KIND, USER, PASSWORD), Stream.of(others))
                .toList();
    }

    /** Returns the key {@code schema} for plug-ins that support MySQL and MariaDB as well. */
    public static ConfigKey<String> schemaOrDatabase(String description) {
        return ConfigKey.of("schema", SCHEMA_NAME, description)
                .withDefaultMeaning("spream; in MySQL and MariaDB the URL's database");
    }

    /** Returns a key that names a schema. */
    public static ConfigKey<String> schema(String name, String description, String standard) {
        return ConfigKey.of(name, SCHEMA_NAME, description).withDefault(standard);
    }

    /** Returns the key {@code migrate}. */
    public static ConfigKey<Boolean> migrate(String description) {
        return ConfigKey.of("migrate", ConfigType.flag(), description).withDefault(true);
    }

    /** Returns the key {@code statement-timeout}. */
    public static ConfigKey<Duration> statementTimeout(String description, Duration standard) {
        return ConfigKey.of(
                        "statement-timeout",
                        wholeSeconds(ConfigType.duration(
                                TablesBuilder.MIN_STATEMENT_TIMEOUT, TablesBuilder.MAX_STATEMENT_TIMEOUT)),
                        description)
                .withDefault(standard);
    }

    /** Restricts durations to whole seconds, which the server's limits can express. */
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

    /** Opens a pool for one plug-in, closed when the run has ended. */
    public static HikariDataSource open(PluginConfig config, PluginContext context) {
        return open(config, context, URL, ConnectionPools.DEFAULT_CONNECTIONS);
    }

    /** Opens a pool with that many connections at most. */
    public static HikariDataSource open(PluginConfig config, PluginContext context, int connections) {
        return open(config, context, URL, connections);
    }

    /** Opens a pool for a plug-in with that key of the URL. */
    public static HikariDataSource open(PluginConfig config, PluginContext context, ConfigKey<String> url) {
        return open(config, context, url, ConnectionPools.DEFAULT_CONNECTIONS);
    }

    private static HikariDataSource open(
            PluginConfig config, PluginContext context, ConfigKey<String> url, int connections) {
        HikariDataSource pool =
                ConnectionPools.open(config.get(url), config.find(USER), config.find(PASSWORD), connections);
        context.onClose(pool);
        return pool;
    }
}
