package dev.spream.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ConfigCheck;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.SpreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;

final class SubscriptionSettingsTest {
    private static final List<String> KEYS = ConfigCheck.of(SpreamConfig.of(Map.of())).entries().stream()
            .map(ConfigEntry::key)
            .toList();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private final ConfigurableEnvironment environment = new StandardEnvironment();

    SubscriptionSettingsTest() {
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName())); // those of this process
    }

    @Test
    void no_two_keys_are_one_in_the_relaxed_form() {
        Map<String, Long> forms =
                KEYS.stream().collect(Collectors.groupingBy(RelaxedName::of, TreeMap::new, Collectors.counting()));

        assertThat(KEYS).hasSizeGreaterThan(80);
        assertThat(forms.values()).containsOnly(1L);
    }

    @Test
    void a_subscription_has_its_own_settings_over_the_defaults() {
        properties(Map.of(
                "spream.defaults.max-inflight", "8",
                "spream.defaults.lease-time", "20s",
                "spream.subscriptions.orders.max-inflight", "16"));

        SubscriptionSettings settings = read();

        assertThat(settings.names()).containsExactly("orders");
        assertThat(values(settings, "orders"))
                .containsOnly(Map.entry("max-inflight", "16"), Map.entry("lease-time", "20s"));
        assertThat(values(settings, "audit")).containsEntry("max-inflight", "8");
        assertThat(settings.problems()).isEmpty();
    }

    @Test
    void keys_are_written_in_any_relaxed_form() {
        properties(Map.of(
                "spream.subscriptions.orders.maxInflight", "16",
                "spream.subscriptions.orders.source.spanner.max_open_queries", "100"));

        assertThat(values(read(), "orders"))
                .containsOnly(Map.entry("max-inflight", "16"), Map.entry("source.spanner.max-open-queries", "100"));
    }

    @Test
    void variables_set_keys_with_and_without_a_hyphen_and_win() {
        properties(Map.of(
                "spream.subscriptions.order-lines.max-inflight", "16",
                "spream.subscriptions.order-lines.lease-time", "20s",
                "spream.subscriptions.order-lines.source.spanner.stream", "Lines"));
        variables(Map.of(
                "SPREAM_SUBSCRIPTIONS_ORDERLINES_MAX_INFLIGHT", "32",
                "SPREAM_SUBSCRIPTIONS_ORDERLINES_LEASETIME", "30s",
                "SPREAM_DEFAULTS_SOURCE_SPANNER_DATABASE", "projects/p/instances/i/databases/d"));

        SubscriptionSettings settings = read();

        assertThat(settings.names()).containsExactly("order-lines");
        assertThat(values(settings, "order-lines"))
                .containsOnly(
                        Map.entry("max-inflight", "32"),
                        Map.entry("lease-time", "30s"),
                        Map.entry("source.spanner.stream", "Lines"),
                        Map.entry("source.spanner.database", "projects/p/instances/i/databases/d"));
        assertThat(settings.problems()).isEmpty();
    }

    @Test
    void the_name_of_a_subscription_is_that_of_a_property_and_not_that_of_a_variable() {
        variables(Map.of("SPREAM_SUBSCRIPTIONS_ORDERLINES_MAX_INFLIGHT", "32"));
        assertThat(read().isWritten("order-lines")).isFalse();

        properties(Map.of("spream.subscriptions.order-lines.lease-time", "20s"));
        assertThat(read().names()).containsExactly("order-lines");
        assertThat(read().isWritten("orderLines")).isTrue();
    }

    @Test
    void variables_that_a_cluster_injects_for_a_service_of_our_name_are_ignored() {
        variables(Map.of(
                "SPREAM_SERVICE_HOST", "10.0.0.1", "SPREAM_PORT", "tcp://10.0.0.1:80", "SPREAM_CONFIG_STORAGE", "x"));

        assertThat(read().problems()).isEmpty();
        assertThat(read().names()).isEmpty();
    }

    @Test
    void lists_and_numbers_and_booleans_of_yaml_are_text_with_their_place() throws IOException {
        yaml("""
                spream:
                  subscriptions:
                    orders:
                      max-inflight: 16
                      snapshot: true
                      filter:
                        tables:
                          - Orders
                          - Lines
                """);

        SubscriptionSettings settings = read();

        assertThat(values(settings, "orders"))
                .containsOnly(
                        Map.entry("max-inflight", "16"),
                        Map.entry("snapshot", "true"),
                        Map.entry("filter.tables", "Orders,Lines"));
        assertThat(settings.of("orders").get("max-inflight")).hasToString("max-inflight (application.yaml:4)");
    }

    @Test
    void a_subscription_without_keys_is_one() throws IOException {
        yaml("spream.subscriptions.orders: {}\n");
        assertThat(read().names()).containsExactly("orders");
        assertThat(read().problems()).isEmpty();
    }

    @Test
    void placeholders_of_spring_are_resolved_and_references_of_spream_are_kept() {
        properties(Map.of(
                "db", "orders",
                "nested", "${db}",
                "spream.subscriptions.orders.source.spanner.stream", "${nested}Stream",
                "spream.subscriptions.orders.source.spanner.database", "${unknown:fallback}",
                "spream.subscriptions.orders.storage.jdbc.password", "${file:/run/secrets/${db}}",
                "spream.subscriptions.orders.storage.jdbc.user", "${env:USER_OF_DB}",
                "spream.subscriptions.orders.storage.jdbc.url", "a\\${b}"));

        Map<String, String> values = values(read(), "orders");

        assertThat(values)
                .containsEntry("source.spanner.stream", "ordersStream")
                .containsEntry("source.spanner.database", "fallback")
                .containsEntry("storage.jdbc.user", "${env:USER_OF_DB}")
                .containsEntry("storage.jdbc.password", "${file:/run/secrets/orders}")
                .containsEntry("storage.jdbc.url", "a$${b}");
    }

    @Test
    void a_reference_in_a_property_that_a_placeholder_names_is_kept() {
        properties(Map.of(
                "folder", "/run/secrets",
                "my.password", "${file:${folder}/password}",
                "alias", "${my.password}",
                "spream.subscriptions.orders.storage.jdbc.password", "${alias}",
                "spream.subscriptions.orders.storage.jdbc.user", "${my.user:${env:USER_OF_DB}}"));

        assertThat(values(read(), "orders"))
                .containsEntry("storage.jdbc.password", "${file:/run/secrets/password}")
                .containsEntry("storage.jdbc.user", "${env:USER_OF_DB}");
    }

    @Test
    void placeholders_that_name_each_other_are_a_problem() {
        properties(
                Map.of("a", "${file:${b}}", "b", "${a}", "spream.subscriptions.orders.storage.jdbc.password", "${a}"));

        assertThat(read().problems()).singleElement().asString().contains("placeholder");
    }

    @Test
    void a_placeholder_without_a_value_is_a_problem_that_quotes_no_text() {
        properties(Map.of("spream.subscriptions.orders.storage.jdbc.password", "secret-${missing}"));

        assertThat(read().problems())
                .singleElement()
                .asString()
                .contains("spream.subscriptions.orders.storage.jdbc.password", "placeholder")
                .doesNotContain("secret-");
    }

    @Test
    void a_property_that_nothing_reads_is_a_problem_with_what_was_meant() {
        properties(Map.of("spream.subscription.orders.max-inflight", "16", "spream.auto-startup", "false"));

        assertThat(read().problems())
                .singleElement()
                .asString()
                .startsWith("spream.subscription.orders.max-inflight (")
                .endsWith("is not a known property; did you mean spream.subscriptions?");
    }

    @Test
    void a_value_in_place_of_keys_is_a_problem() {
        properties(Map.of("spream.subscriptions.orders", "OrdersStream"));

        assertThat(read().problems()).singleElement().asString().contains("spream.subscriptions.orders", "write a key");
    }

    private SubscriptionSettings read() {
        return SubscriptionSettings.read(environment, KEYS);
    }

    private static Map<String, String> values(SubscriptionSettings settings, String subscription) {
        return settings.of(subscription).values().stream()
                .collect(Collectors.toMap(SubscriptionSetting::key, SubscriptionSetting::value));
    }

    private void properties(Map<String, Object> values) {
        environment.getPropertySources().addLast(new MapPropertySource("test", values));
    }

    private void variables(Map<String, Object> values) {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, values));
    }

    private void yaml(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yaml"), text);
        new YamlPropertySourceLoader()
                .load("yaml", new FileSystemResource(file))
                .forEach(environment.getPropertySources()::addLast);
    }
}
