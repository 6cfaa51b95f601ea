package dev.spream.storage.jdbc.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class JdbcSinkProviderTest {
    private final ConsumerProvider provider = new JdbcSinkProvider();

    @Test
    void it_is_found_by_its_name() {
        assertThat(ServiceLoader.load(ConsumerProvider.class))
                .filteredOn(JdbcSinkProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", ConsumerProvider::name);
    }

    @Test
    void its_keys_are_those_that_configurations_name() {
        assertThat(provider.keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "url",
                        "user",
                        "password",
                        "schema",
                        "create-tables",
                        "ledger",
                        "ledger-schema",
                        "migrate",
                        "connections",
                        "statement-timeout");
        assertThat(provider.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("url");
        assertThat(key("create-tables").defaultText()).isEqualTo(Optional.of("false"));
        assertThat(key("ledger").defaultText()).isEqualTo(Optional.of("the subscription"));
    }

    @Test
    void settings_that_the_mirror_refuses_are_refused_before_it_is_created() {
        refused("schema", "s".repeat(64));
        refused("ledger-schema", "Spream");
        refused("connections", "0");
        refused("statement-timeout", "1500ms");
        assertThat(key("schema").type().read("Mirror")).isEqualTo("Mirror");
    }

    private void refused(String key, String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> key(key).type().read(value));
    }

    private ConfigKey<?> key(String name) {
        return provider.keys().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
