package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import java.util.ServiceLoader;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

final class JdbcPartitionStorageProviderTest {
    private final PartitionStorageProvider provider = new JdbcPartitionStorageProvider();

    @Test
    void it_is_found_by_its_name() {
        assertThat(ServiceLoader.load(PartitionStorageProvider.class))
                .filteredOn(JdbcPartitionStorageProvider.class::isInstance)
                .singleElement()
                .returns("jdbc", PartitionStorageProvider::name);
    }

    @Test
    void its_keys_are_those_that_configurations_name() {
        assertThat(provider.keys())
                .extracting(ConfigKey::name)
                .containsExactly("url", "user", "password", "schema", "migrate", "statement-timeout");
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
    void a_url_with_a_password_is_refused_without_showing_it() {
        refused("url", "jdbc:postgresql://db/orders?user=u&password=hush")
                .withMessageContaining("must not contain")
                .withMessageNotContaining("hush");
        refused("url", "jdbc:postgresql://db/orders?sslpassword=hush");
        refused("url", "jdbc:postgresql://u:hush@db/orders").withMessageNotContaining("hush");
        refused("url", "jdbc:mysql://db/orders").withMessageContaining("jdbc:postgresql://");
        assertThat(key("url").type().read("jdbc:postgresql://db/orders?user=u"))
                .isEqualTo("jdbc:postgresql://db/orders?user=u");
    }

    @Test
    void settings_that_the_storage_refuses_are_refused_before_it_is_created() {
        refused("schema", "Orders");
        refused("schema", "pg_orders");
        refused("statement-timeout", "1500ms").withMessageContaining("whole seconds");
        refused("statement-timeout", "500ms");
        refused("statement-timeout", "61m");
    }

    private ThrowableAssertAlternative<IllegalArgumentException> refused(String key, String value) {
        return assertThatIllegalArgumentException()
                .isThrownBy(() -> key(key).type().read(value));
    }

    private ConfigKey<?> key(String name) {
        return provider.keys().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
