package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class JdbcOutboxStoreProviderTest {
    private final OutboxStoreProvider provider = new JdbcOutboxStoreProvider();
    private final ConsumerProvider sink = new JdbcOutboxSinkProvider();

    @Test
    void they_are_found_by_their_names() {
        assertThat(ServiceLoader.load(OutboxStoreProvider.class))
                .filteredOn(JdbcOutboxStoreProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", OutboxStoreProvider::name);
        assertThat(ServiceLoader.load(ConsumerProvider.class))
                .filteredOn(JdbcOutboxSinkProvider.class::isInstance)
                .singleElement()
                .returns("outbox", ConsumerProvider::name);
    }

    @Test
    void their_keys_are_those_that_configurations_name() {
        assertThat(provider.keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "url", "user", "password", "schema", "table", "ledger", "migrate", "statement-timeout");
        assertThat(sink.keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "url",
                        "user",
                        "password",
                        "schema",
                        "table",
                        "ledger",
                        "migrate",
                        "statement-timeout",
                        "ordering",
                        "expire-after");
        assertThat(sink.keys())
                .filteredOn(ConfigKey::isSecret)
                .extracting(ConfigKey::fallback)
                .containsExactly(Optional.of("outbox.jdbc.password"));
        assertThat(provider.keys())
                .filteredOn(ConfigKey::isRequired)
                .extracting(ConfigKey::name)
                .containsExactly("url");
    }

    @Test
    void names_that_would_have_to_be_quoted_are_refused_before_anything_is_opened() {
        refused("table", "Orders");
        refused("table", "o; DROP TABLE x");
        refused("table", "t".repeat(46));
        refused("ledger", "1st");
        refused("schema", "a.b");
        refused("statement-timeout", "100ms");
        assertThat(key("table").defaultText()).contains("outbox_orders");
        assertThat(key("ledger").defaultText()).contains("idempo_ledger");
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
