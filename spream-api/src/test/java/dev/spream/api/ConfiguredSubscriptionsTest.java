package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.SpreamException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A storage that cannot list its subscriptions. */
final class ConfiguredSubscriptionsTest {
    private PluginRegistry plugins;

    @TempDir
    private Path folder;

    @BeforeEach
    void open() throws Exception {
        plugins = RecordingPlugins.discover(folder);
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void a_storage_without_a_catalog_has_the_configured_subscription_alone() {
        try (ConfiguredSubscriptions configured = ConfiguredSubscriptions.open(
                SpreamConfig.of(Map.of("storage", "noted", "subscription", "orders")), plugins)) {
            SubscriptionCatalog catalog = configured.catalog();
            assertThat(configured.catalog()).isSameAs(catalog);
            assertThat(catalog.names()).containsExactly("orders");
            assertThat(catalog.configured()).isEqualTo("orders");
            assertThat(catalog.open("orders").subscription()).isEmpty();
        }
    }

    @Test
    void a_storage_without_a_catalog_needs_the_name_of_a_subscription() {
        try (ConfiguredSubscriptions configured =
                ConfiguredSubscriptions.open(SpreamConfig.of(Map.of("storage", "noted")), plugins)) {
            assertThat(configured.subscription()).isEmpty();
            assertThatExceptionOfType(SpreamException.class)
                    .isThrownBy(configured::catalog)
                    .withMessageContaining("set subscription");
        }
    }
}
