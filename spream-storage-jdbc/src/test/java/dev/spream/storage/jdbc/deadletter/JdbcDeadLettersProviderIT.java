package dev.spream.storage.jdbc.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JdbcDeadLettersProviderIT {
    private static final String SECTION = "dead-letters.jdbc";

    @Test
    void its_keys_are_those_that_configurations_name() {
        assertThat(new JdbcDeadLettersProvider().keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "url", "user", "password", "schema", "migrate", "statement-timeout", "resolved-retention");
    }

    @Test
    void configuration_opens_a_store_of_its_subscription_and_closes_it() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            DeadLetterSink sink;
            try (OpenPlugin<DeadLetterSink> open =
                    open(database, Map.of("schema", "letters", "statement-timeout", "7s"))) {
                sink = open.product();
                sink.accept(DeadLetters.failed(Changes.of(1, "A")));
            }
            assertThatExceptionOfType(DeadLetterException.class)
                    .isThrownBy(sink::parkedKeys)
                    .withMessageContaining("closed");
            try (JdbcDeadLetterStore store = JdbcDeadLetterStore.builder(database.dataSource(), "nightly")
                    .schema("letters")
                    .migrate(false)
                    .build()) {
                assertThat(store.openLetters()).hasSize(1);
            }
        }
    }

    @Test
    void without_migration_missing_tables_are_an_error() {
        try (TestDatabase database = new TestDatabase()) {
            assertThatExceptionOfType(SpreamException.class)
                    .isThrownBy(() -> open(database, Map.of("migrate", "false")).close())
                    .withMessageContaining("no tables of the dead letters")
                    .withMessageContaining("dead-letters.jdbc.migrate=true");
        }
    }

    private static OpenPlugin<DeadLetterSink> open(TestDatabase database, Map<String, String> settings) {
        Map<String, String> keys = new HashMap<>(Map.of(SECTION + ".url", database.url()));
        settings.forEach((key, value) -> keys.put(SECTION + "." + key, value));
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<DeadLetterSink> plugin =
                    plugins.find(DeadLetterSinkProvider.class, "jdbc").orElseThrow();
            ResolvedConfig config =
                    ResolvedConfig.of(SpreamConfig.of(keys), List.of(new ConfigSection(SECTION, plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            return plugin.open(config.section(SECTION), InstantSource.system(), "nightly");
        }
    }
}
