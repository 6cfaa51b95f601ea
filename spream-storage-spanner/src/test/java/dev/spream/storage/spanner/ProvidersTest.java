package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginProvider;
import dev.spream.storage.spanner.connection.SpannerConnectionKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class ProvidersTest {
    private final PluginProvider<?> source = new SpannerChangeStreamSourceProvider();
    private final PluginProvider<?> storage = new SpannerPartitionStorageProvider();

    @Test
    void source_and_storage_are_found_by_their_name() {
        assertThat(ServiceLoader.load(ChangeStreamSourceProvider.class))
                .filteredOn(SpannerChangeStreamSourceProvider.class::isInstance)
                .singleElement()
                .returns("spanner", PluginProvider::name);
        assertThat(ServiceLoader.load(PartitionStorageProvider.class))
                .filteredOn(SpannerPartitionStorageProvider.class::isInstance)
                .singleElement()
                .returns("spanner", PluginProvider::name);
    }

    @Test
    void their_keys_are_those_that_configurations_name() {
        assertThat(source.keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "database",
                        "stream",
                        "read-function",
                        "emulator-host",
                        "endpoint",
                        "credentials-file",
                        "credentials-json",
                        "channels",
                        "keep-alive-time",
                        "role",
                        "priority",
                        "request-tag",
                        "directed-reads",
                        "prefetch-chunks",
                        "max-open-queries",
                        "connect-timeout",
                        "snapshot-chunk-rows",
                        "snapshot-reads");
        assertThat(source.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("database", "stream");
        assertThat(storage.keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "database",
                        "table",
                        "create-table",
                        "emulator-host",
                        "endpoint",
                        "credentials-file",
                        "credentials-json",
                        "channels",
                        "keep-alive-time",
                        "call-timeout");
        assertThat(storage.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("database", "table");
    }

    @Test
    void the_storage_is_where_the_stream_is_unless_told_otherwise() {
        assertThat(key(storage, "database").fallback()).contains("source.spanner.database");
        assertThat(key(storage, "emulator-host").fallback()).contains("source.spanner.emulator-host");
        assertThat(key(storage, "endpoint").fallback()).contains("source.spanner.endpoint");
        assertThat(key(storage, "credentials-file").fallback()).contains("source.spanner.credentials-file");
        assertThat(key(storage, "credentials-json").fallback()).contains("source.spanner.credentials-json");
        assertThat(key(storage, "keep-alive-time").fallback()).contains("source.spanner.keep-alive-time");
    }

    @Test
    void credentials_as_a_value_are_a_secret() {
        assertThat(key(source, "credentials-json").isSecret()).isTrue();
        assertThat(key(storage, "credentials-json").isSecret()).isTrue();
    }

    @Test
    void settings_that_contradict_each_other_are_refused_before_anything_is_opened() {
        String emulator =
                "emulator-host cannot be combined with endpoint or credentials: configure the emulator, or Spanner";
        assertThat(problems(Map.of("emulator-host", "localhost:1", "endpoint", "localhost:1")))
                .containsExactly(emulator);
        assertThat(problems(Map.of("emulator-host", "localhost:1", "credentials-file", "key.json")))
                .containsExactly(emulator);
        assertThat(problems(Map.of("channels", "2")))
                .containsExactly("channels is 2, which is too few for max-open-queries=700: set at least 8, or lower"
                        + " max-open-queries");
        assertThat(problems(Map.of("channels", "2", "max-open-queries", "100"))).isEmpty();
        assertThat(SpannerConnectionKeys.SOURCE.problems(
                        config(Map.of("endpoint", "localhost:1")), Optional.of("localhost:9010")))
                .containsExactly("endpoint is configured, and SPANNER_EMULATOR_HOST is set to localhost:9010: leave out"
                        + " one of them");
        assertThat(SpannerConnectionKeys.SOURCE.problems(
                        config(Map.of("credentials-file", "key.json")), Optional.of("localhost:9010")))
                .containsExactly("credentials are configured, and SPANNER_EMULATOR_HOST is set to localhost:9010: leave"
                        + " out one of them");
    }

    private List<String> problems(Map<String, String> settings) {
        return source.problems(config(settings));
    }

    private PluginConfig config(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>();
        settings.forEach((key, value) -> all.put("source.spanner." + key, value));
        all.put("source.spanner.database", "projects/p/instances/i/databases/d");
        all.put("source.spanner.stream", "Orders");
        ResolvedConfig config = ResolvedConfig.of(
                SpreamConfig.of(all), List.of(new ConfigSection("source.spanner", source.keys(), true)));
        assertThat(config.problems()).isEmpty();
        return config.section("source.spanner");
    }

    @Test
    void a_storage_with_a_server_of_its_own_takes_none_of_the_sources_credentials() {
        ResolvedConfig config = ResolvedConfig.of(
                SpreamConfig.of(Map.of(
                        "source.spanner.database", "projects/p/instances/i/databases/d",
                        "source.spanner.stream", "Orders",
                        "source.spanner.endpoint", "spanner.example.com:443",
                        "source.spanner.credentials-file", "key.json",
                        "storage.spanner.table", "Metadata",
                        "storage.spanner.emulator-host", "localhost:9010")),
                List.of(
                        new ConfigSection("source.spanner", source.keys(), true),
                        new ConfigSection("storage.spanner", storage.keys(), true)));
        assertThat(config.problems()).isEmpty();
        assertThat(storage.problems(config.section("storage.spanner"))).isEmpty();
    }

    @Test
    void values_that_Spanner_could_not_have_are_refused_before_anything_is_opened() {
        refused(key(source, "database"), "orders");
        refused(key(source, "stream"), "Orders; DROP TABLE Orders");
        refused(key(source, "read-function"), "spanner.read_json_orders");
        refused(key(source, "priority"), "HIGH");
        refused(key(source, "max-open-queries"), "25501");
        refused(key(source, "emulator-host"), "http://localhost:9010");
        refused(key(source, "emulator-host"), "localhost:0");
        refused(key(source, "emulator-host"), "localhost:70000");
        refused(key(source, "endpoint"), "http://localhost:9010");
        refused(key(source, "endpoint"), "spanner.googleapis.com");
        refused(key(source, "endpoint"), "https://user@spanner.googleapis.com");
        refused(key(source, "credentials-json"), "{}");
        refused(key(source, "channels"), "257");
        refused(key(source, "keep-alive-time"), "9s");
        refused(key(source, "directed-reads"), "us-east1");
        refused(key(storage, "table"), "Meta-data");
        refused(key(storage, "call-timeout"), "999ms");
    }

    private static void refused(ConfigKey<?> key, String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> key.type().read(value));
    }

    private static ConfigKey<?> key(PluginProvider<?> provider, String name) {
        return provider.keys().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
