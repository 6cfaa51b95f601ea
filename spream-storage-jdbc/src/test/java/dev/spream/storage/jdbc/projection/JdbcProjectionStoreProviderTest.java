package dev.spream.storage.jdbc.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ProjectionStoreProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class JdbcProjectionStoreProviderTest {
    private final ProjectionStoreProvider provider = new JdbcProjectionStoreProvider();

    @Test
    void it_is_found_by_its_name() {
        assertThat(ServiceLoader.load(ProjectionStoreProvider.class))
                .filteredOn(JdbcProjectionStoreProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", ProjectionStoreProvider::name);
    }

    @Test
    void its_keys_are_those_that_configurations_name() {
        assertThat(provider.keys())
                .extracting(ConfigKey::name)
                .containsExactly("url", "user", "password", "schema", "migrate", "statement-timeout", "connections");
        assertThat(provider.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("url");
        assertThat(provider.keys())
                .filteredOn(ConfigKey::isSecret)
                .extracting(ConfigKey::name)
                .containsExactly("password");
    }

    @Test
    void invalid_settings_are_refused_before_a_connection_is_opened() {
        refused("schema", "a.b");
        refused("schema", "Upper");
        refused("statement-timeout", "100ms");
        refused("migrate", "maybe");
        refused("connections", "3");
    }

    private void refused(String key, String value) {
        ConfigKey<?> found = provider.keys().stream()
                .filter(candidate -> candidate.name().equals(key))
                .findFirst()
                .orElseThrow();
        assertThatIllegalArgumentException().isThrownBy(() -> found.type().read(value));
    }
}
