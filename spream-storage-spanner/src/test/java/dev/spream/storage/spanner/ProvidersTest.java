package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginProvider;
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
                        "role",
                        "priority",
                        "request-tag",
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
                .containsExactly("database", "table", "create-table", "emulator-host", "call-timeout");
        assertThat(storage.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("database", "table");
    }

    @Test
    void the_storage_is_where_the_stream_is_unless_told_otherwise() {
        assertThat(key(storage, "database").fallback()).contains("source.spanner.database");
        assertThat(key(storage, "emulator-host").fallback()).contains("source.spanner.emulator-host");
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
