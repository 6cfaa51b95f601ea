package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.ConfiguredSubscriptions;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.SpreamException;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class JdbcPartitionStorageProviderIT {
    private static final String SECTION = "storage.jdbc";

    @Test
    void configuration_opens_a_storage_and_closes_it_with_its_pool() {
        try (TestDatabase database = new TestDatabase()) {
            PartitionStorage storage;
            try (OpenPlugin<PartitionStorage> open =
                    open(database, Map.of("schema", "orders", "statement-timeout", "7s"))) {
                storage = open.product();
                storage.openSubscription(new SubscriptionRecord(
                        "OrdersStream",
                        Instant.parse("2026-01-01T00:00:00Z"),
                        Optional.empty(),
                        Duration.ofSeconds(10),
                        PartitionMode.IMMUTABLE_KEY_RANGE,
                        false));
                assertThat(JdbcPartitionStorage.subscriptions(database.dataSource(), "orders"))
                        .containsExactly("nightly");
            }
            assertThatExceptionOfType(StorageException.class).isThrownBy(storage::subscription);
        }
    }

    @Test
    void the_catalog_names_all_subscriptions_of_a_schema_and_opens_each() {
        try (TestDatabase database = new TestDatabase()) {
            for (String name : List.of("nightly", "hourly")) {
                open(database, name).close();
            }
            try (ConfiguredSubscriptions configured = ConfiguredSubscriptions.open(SpreamConfig.of(Map.of(
                    "subscription",
                    "nightly",
                    "storage",
                    "jdbc",
                    SECTION + ".url",
                    database.url(),
                    SECTION + ".schema",
                    "orders",
                    SECTION + ".migrate",
                    "false")))) {
                SubscriptionCatalog catalog = configured.catalog();
                assertThat(catalog.configured()).isEqualTo("nightly");
                assertThat(catalog.names()).containsExactly("hourly", "nightly");
                try (PartitionStorage hourly = catalog.open("hourly")) {
                    assertThat(hourly.subscription())
                            .get()
                            .extracting(SubscriptionRecord::streamName)
                            .isEqualTo("OrdersStream of hourly");
                }
                try (PartitionStorage nightly = catalog.open("nightly")) {
                    assertThat(nightly.lineage().partitions()).hasSize(1);
                }
                assertThat(catalog.open("daily").subscription()).isEmpty();
            }
        }
    }

    private static PartitionStorage open(TestDatabase database, String name) {
        PartitionStorage storage = JdbcPartitionStorage.builder(database.dataSource(), name)
                .schema("orders")
                .build();
        storage.openSubscription(new SubscriptionRecord(
                "OrdersStream of " + name,
                Instant.parse("2026-01-01T00:00:00Z"),
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        return storage;
    }

    @Test
    void without_migration_missing_tables_are_an_error() {
        try (TestDatabase database = new TestDatabase()) {
            assertThatExceptionOfType(SpreamException.class)
                    .isThrownBy(() -> open(database, Map.of("migrate", "false")).close())
                    .withMessageContaining("spream");
        }
    }

    private static OpenPlugin<PartitionStorage> open(TestDatabase database, Map<String, String> settings) {
        Map<String, String> keys = new HashMap<>(Map.of(SECTION + ".url", database.url()));
        settings.forEach((key, value) -> keys.put(SECTION + "." + key, value));
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<PartitionStorage> plugin =
                    plugins.find(PartitionStorageProvider.class, "jdbc").orElseThrow();
            ResolvedConfig config =
                    ResolvedConfig.of(SpreamConfig.of(keys), List.of(new ConfigSection(SECTION, plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            return plugin.open(config.section(SECTION), InstantSource.system(), "nightly");
        }
    }
}
