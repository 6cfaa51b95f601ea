package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.EventStoreProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class JdbcEventProvidersTest {
    private final EventStoreProvider store = new JdbcEventStoreProvider();
    private final EventSourceProvider source = new JdbcEventSourceProvider();

    @Test
    void they_are_found_by_their_names() {
        assertThat(ServiceLoader.load(EventStoreProvider.class))
                .filteredOn(JdbcEventStoreProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", EventStoreProvider::name);
        assertThat(ServiceLoader.load(EventSourceProvider.class))
                .filteredOn(JdbcEventSourceProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", EventSourceProvider::name);
    }

    @Test
    void their_keys_are_those_that_configurations_name() {
        assertThat(store.keys())
                .extracting(ConfigKey::name)
                .containsExactly("url", "user", "password", "schema", "table", "migrate", "statement-timeout");
        assertThat(source.keys())
                .extracting(ConfigKey::name)
                .isEqualTo(store.keys().stream().map(ConfigKey::name).toList());
        assertThat(store.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("url");
    }

    @Test
    void names_that_would_have_to_be_quoted_are_refused_before_anything_is_opened() {
        refused("table", "Events");
        refused("table", "o; DROP TABLE x");
        refused("table", "t".repeat(46));
        refused("schema", "a.b");
        refused("statement-timeout", "100ms");
        assertThat(key("table").defaultText()).contains("events");
    }

    private void refused(String key, String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> key(key).type().read(value));
    }

    private ConfigKey<?> key(String name) {
        return store.keys().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
