package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.time.Duration;
import java.util.List;

/** Keys in the manner of spream's own and of plug-ins'. */
final class TestKeys {
    static final ConfigKey<String> STORAGE = ConfigKey.of(
                    "storage", ConfigType.name(List.of("jdbc", "memory", "spanner")), "Where partitions are kept.")
            .withDefault("memory");
    static final ConfigKey<Integer> MAX_INFLIGHT = ConfigKey.of(
                    "max-inflight",
                    ConfigType.integer(1, 1_000),
                    "How many changes of a partition are consumed at once.")
            .withDefault(1);
    static final ConfigKey<Duration> LEASE_TIME = ConfigKey.of(
                    "lease-time",
                    ConfigType.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
                    "After which time another worker takes over what a dead one held.")
            .withDefault(Duration.ofSeconds(30));
    static final ConfigKey<Long> BUFFER = ConfigKey.of(
                    "max-buffered-bytes", ConfigType.size(1 << 20, 1L << 40), "How much memory changes may take.")
            .withDefaultMeaning("a quarter of the heap");

    static final ConfigKey<String> URL =
            ConfigKey.of("url", ConfigType.text(), "Where the database is.").required();
    static final ConfigKey<String> USER = ConfigKey.of("user", ConfigType.text(), "Who asks.");
    static final ConfigKey<String> PASSWORD =
            ConfigKey.of("password", ConfigType.text(), "What proves it.").secret();
    static final ConfigKey<Integer> PIN =
            ConfigKey.of("pin", ConfigType.integer(1, 9_999), "A second proof.").secret();

    static final ConfigKey<String> SOURCE_DATABASE = ConfigKey.of(
                    "database", ConfigType.text(), "The database that the change stream is of.")
            .required();
    static final ConfigKey<String> STORAGE_DATABASE = ConfigKey.of(
                    "database", ConfigType.text(), "The database that the partitions are kept in.")
            .withFallback("source.spanner.database")
            .required();

    static final ConfigSection SPREAM = new ConfigSection("", List.of(STORAGE, MAX_INFLIGHT, LEASE_TIME, BUFFER), true);
    static final ConfigSection JDBC = new ConfigSection("storage.jdbc", List.of(URL, USER, PASSWORD, PIN), true);
    static final ConfigSection JDBC_UNUSED = new ConfigSection("storage.jdbc", JDBC.keys(), false);
    static final ConfigSection SOURCE = new ConfigSection("source.spanner", List.of(SOURCE_DATABASE), true);
    static final ConfigSection SOURCE_UNUSED = new ConfigSection("source.spanner", SOURCE.keys(), false);
    static final ConfigSection STORAGE_SPANNER = new ConfigSection("storage.spanner", List.of(STORAGE_DATABASE), true);

    private TestKeys() {}
}
