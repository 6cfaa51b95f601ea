package dev.spream.storage.jdbc.lock;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The locks {@code jdbc}: a {@link JdbcLockStore} over a pool of its own, and the provisioning of its buckets. */
@AutoService(LockStoreProvider.class)
public final class JdbcLockStoreProvider implements LockStoreProvider {
    /** The connections in addition to those of handles: one that is kept for epochs, and one for short calls. */
    private static final int OTHER_CONNECTIONS = 2;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final String AS_RECORDED = "as recorded, else ";

    private static final ConfigKey<String> SCHEMA = ConfigKey.of(
                    "schema",
                    ConfigType.text(),
                    "The schema of the tables; on MySQL and MariaDB, a database. Locks of one do not exclude locks of"
                            + " another.")
            .withDefaultMeaning("spream; on MySQL and MariaDB the URL's database");
    private static final ConfigKey<LockStrategy> STRATEGY = ConfigKey.of(
                    "strategy",
                    ConfigType.choice(LockStrategy.class),
                    "The representation of a lock: an advisory lock, on PostgreSQL only, or a provisioned row.")
            .withDefaultMeaning(AS_RECORDED + "advisory on PostgreSQL, and rows elsewhere");
    private static final ConfigKey<Long> BUCKETS = ConfigKey.of(
                    "buckets",
                    new ConfigType<>(
                            "integer, 1 to " + BucketSpace.MAX_BUCKETS,
                            JdbcLockStoreProvider::buckets,
                            Object::toString),
                    "The number of buckets of each level. Two targets of one bucket wait for each other unnecessarily.")
            .withDefaultMeaning(AS_RECORDED + "2^60 of advisory locks, and 1048576 of rows");
    private static final ConfigKey<BucketHash> HASH = ConfigKey.of(
                    "hash",
                    ConfigType.choice(BucketHash.class),
                    "The hash that maps the ids of a target to a bucket; fnv1a-32 is for tables shared with other programs.")
            .withDefaultMeaning(AS_RECORDED + "sha256");
    private static final ConfigKey<Integer> LEVELS = ConfigKey.of(
                    "levels", ConfigType.integer(1, LockTarget.MAX_LEVELS), "The maximum number of ids of a target.")
            .withDefaultMeaning(AS_RECORDED + "16 of advisory locks, and 3 of rows");
    private static final ConfigKey<Integer> HANDLES = ConfigKey.of(
                    "handles",
                    ConfigType.integer(1, 1_000),
                    "The number of handles and locking transactions that can be open at a time; each holds a connection. Calls that wait"
                            + " for locks use at most half of them.")
            .withDefault(JdbcLockStore.Builder.DEFAULT_HANDLES);
    private static final ConfigKey<Duration> HOLDER_TIMEOUT = ConfigKey.of(
                    "holder-timeout",
                    ConnectionKeys.wholeSeconds(ConfigType.duration(Duration.ofSeconds(1), Duration.ofDays(1))),
                    "Time that a process with an open handle may be suspended before the database releases its locks.")
            .withDefault(JdbcLockStore.Builder.DEFAULT_HOLDER_TIMEOUT);
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement that does not wait for locks. A commit that is not answered within another 2 s"
                    + " fails, and may have taken effect.",
            JdbcLockStore.Builder.DEFAULT_STATEMENT_TIMEOUT);
    private static final ConfigKey<Boolean> MIGRATE =
            ConnectionKeys.migrate("Whether to create the schema and its tables, and to migrate them, where needed.");
    private static final ConfigKey<Integer> CHUNK = ConfigKey.of(
                    "chunk",
                    ConfigType.integer(1, JdbcBucketProvisioning.MAX_CHUNK),
                    "The number of buckets that spream locks provision creates in a transaction.")
            .withDefault(JdbcBucketProvisioning.DEFAULT_CHUNK);

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                ConnectionKeys.URL_OF_ANY_KIND,
                ConnectionKeys.USER,
                ConnectionKeys.PASSWORD,
                SCHEMA,
                STRATEGY,
                BUCKETS,
                HASH,
                LEVELS,
                HANDLES,
                HOLDER_TIMEOUT,
                STATEMENT_TIMEOUT,
                MIGRATE,
                CHUNK);
    }

    @Override
    public LockStore<?> create(PluginConfig config, PluginContext context) {
        HikariDataSource pool = ConnectionKeys.open(config, context, ConnectionKeys.URL_OF_ANY_KIND);
        pool.setMaximumPoolSize(config.get(HANDLES) + OTHER_CONNECTIONS);
        JdbcLockStore.Builder store = JdbcLockStore.builder(pool)
                .layout(asked(config))
                .migrate(config.get(MIGRATE))
                .handles(config.get(HANDLES))
                .holderTimeout(config.get(HOLDER_TIMEOUT))
                .statementTimeout(config.get(STATEMENT_TIMEOUT));
        config.find(SCHEMA).ifPresent(store::schema);
        return store.build();
    }

    @Override
    public Optional<BucketProvisioning> provisioning(PluginConfig config, PluginContext context) {
        HikariDataSource pool = ConnectionKeys.open(config, context, ConnectionKeys.URL_OF_ANY_KIND);
        return Optional.of(JdbcBucketProvisioning.of(
                pool, config.find(SCHEMA), config.get(MIGRATE), asked(config), config.get(CHUNK)));
    }

    @Override
    public Optional<LockObserver> observer(PluginConfig config, PluginContext context) {
        HikariDataSource pool = ConnectionKeys.open(config, context, ConnectionKeys.URL_OF_ANY_KIND);
        return Optional.of(JdbcLockObserver.of(pool, config.find(SCHEMA)));
    }

    private static AskedLayout asked(PluginConfig config) {
        return new AskedLayout(config.find(STRATEGY), config.find(HASH), config.find(BUCKETS), config.find(LEVELS));
    }

    private static Long buckets(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("expected integer");
        }
        try {
            long buckets = Long.parseLong(text);
            if (buckets >= 1 && buckets <= BucketSpace.MAX_BUCKETS) {
                return buckets;
            }
        } catch (NumberFormatException e) {
            // the number may exceed a long
        }
        throw new IllegalArgumentException("expected integer, 1 to " + BucketSpace.MAX_BUCKETS);
    }
}
