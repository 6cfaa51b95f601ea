package dev.spream.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.ConfigException;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** The subscriptions that beans and properties make, and the problems of the others. Nothing is started. */
final class SpreamAutoConfigurationTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SpreamAutoConfiguration.class))
            .withPropertyValues("spream.auto-startup=false");
    private final ApplicationContextRunner stored = runner.withPropertyValues(
            "spream.defaults.storage=memory",
            "spream.defaults.source.spanner.database=projects/p/instances/i/databases/d",
            "spream.defaults.source.spanner.stream=OrdersStream");

    @Test
    void a_consumer_alone_is_a_subscription_of_its_name() {
        stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .run(context -> assertThat(names(context.getBean(SpreamSubscriptions.class)))
                        .containsExactly("orders"));
    }

    @Test
    void the_only_consumer_is_for_the_only_subscription() {
        stored.withBean("someHandler", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withPropertyValues("spream.subscriptions.orders.max-inflight=8")
                .run(context -> assertThat(names(context.getBean(SpreamSubscriptions.class)))
                        .containsExactly("orders"));
    }

    @Test
    void names_and_annotations_match_in_a_relaxed_way() {
        stored.withBean("orderLines", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withUserConfiguration(Annotated.class)
                .withPropertyValues(
                        "spream.subscriptions.order-lines.max-inflight=8",
                        "spream.subscriptions.audit-log.max-inflight=8")
                .run(context -> assertThat(names(context.getBean(SpreamSubscriptions.class)))
                        .containsExactlyInAnyOrder("order-lines", "audit-log"));
    }

    @Test
    void a_subscription_that_only_variables_configure_has_the_name_of_its_bean() {
        stored.withBean("orderLines", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment", Map.of("SPREAM_SUBSCRIPTIONS_ORDERLINES_MAXINFLIGHT", "8"))))
                .run(context -> assertThat(names(context.getBean(SpreamSubscriptions.class)))
                        .containsExactly("orderLines"));
    }

    @Test
    void a_subscription_with_a_sink_needs_no_bean() {
        stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withPropertyValues(
                        "spream.subscriptions.orders.max-inflight=8", "spream.subscriptions.audit.sink=stdout")
                .run(context -> assertThat(names(context.getBean(SpreamSubscriptions.class)))
                        .containsExactlyInAnyOrder("orders", "audit"));
    }

    @Test
    void an_application_without_a_subscription_starts() {
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_switch_turns_everything_off() {
        runner.withPropertyValues("spream.enabled=false", "spream.subscriptions.orders.nonsense=1")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SpreamSubscriptions.class));
    }

    @Test
    void a_consumer_that_fits_no_subscription_is_a_problem() {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withBean("stray", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues("spream.subscriptions.orders.max-inflight=8")))
                .singleElement()
                .asString()
                .contains("the consumer bean stray is for none of the subscriptions [orders]");
    }

    @Test
    void two_consumers_of_one_subscription_are_a_problem() {
        assertThat(problems(stored.withBean("auditLog", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withUserConfiguration(Annotated.class)))
                .singleElement()
                .asString()
                .contains("has two consumer beans");
    }

    @Test
    void a_subscription_without_a_consumer_is_a_problem() {
        assertThat(problems(stored.withPropertyValues("spream.subscriptions.orders.max-inflight=8")))
                .singleElement()
                .asString()
                .contains("orders: it has no consumer", "@SpreamSubscription(\"orders\")");
    }

    @Test
    void all_problems_of_all_subscriptions_are_reported_at_once() {
        List<String> problems =
                problems(runner.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withBean("audit", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues(
                                "spream.subscriptions.orders.storage=jbdc",
                                "spream.subscriptions.orders.max-infligth=8",
                                "spream.subscriptions.orders.source.spanner.stream=OrdersStream",
                                "spream.subscriptions.orders.source.spanner.database=projects/p/instances/i/databases/d",
                                "spream.subscriptions.audit.storage=memory",
                                "spream.subscriptions.audit.source.spanner.stream=OrdersStream"));

        assertThat(problems).hasSize(3);
        assertThat(problems)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("orders: storage is 'jbdc'")
                        .contains("did you mean jdbc?"));
        assertThat(problems)
                .anySatisfy(problem ->
                        assertThat(problem).startsWith("orders: max-infligth").endsWith("did you mean max-inflight?"));
        assertThat(problems)
                .anySatisfy(
                        problem -> assertThat(problem)
                                .startsWith(
                                        "audit: source.spanner.database is not configured; set"
                                                + " spream.subscriptions.audit.source.spanner.database or spream.defaults.source.spanner.database"));
    }

    @Test
    void a_secret_is_in_no_problem() {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues(
                                "spream.subscriptions.orders.storage=jdbc",
                                "spream.subscriptions.orders.storage.jdbc.password=hunter2")))
                .isNotEmpty()
                .noneMatch(problem -> problem.contains("hunter2"));
    }

    @Test
    void two_subscriptions_in_one_table_are_a_problem() {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withBean("audit", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues(
                                "spream.defaults.storage=spanner", "spream.defaults.storage.spanner.table=Partitions")))
                .singleElement()
                .asString()
                .contains("storage.spanner.table is 'Partitions'", "each subscription needs a table of its own");
    }

    @Test
    void two_subscriptions_that_publish_with_one_transactional_id_are_a_problem() {
        assertThat(problems(stored.withPropertyValues(
                        "spream.defaults.sink=kafka",
                        "spream.defaults.sink.kafka.transactional-id=orders-1",
                        "spream.subscriptions.orders.start=2026-01-01T00:00:00Z",
                        "spream.subscriptions.audit.start=2026-01-01T00:00:00Z",
                        "spream.subscriptions.lines.sink.kafka.transactional-id=lines-1")))
                .filteredOn(problem -> problem.contains("is 'orders-1'"))
                .singleElement()
                .asString()
                .contains("set spream.subscriptions.", ".sink.kafka.transactional-id to an id of its own");
    }

    @Test
    void the_tables_of_spanner_are_compared_without_their_case() {
        assertThat(problems(ordersAndAudit()
                        .withPropertyValues(
                                "spream.defaults.storage=spanner",
                                "spream.subscriptions.orders.storage.spanner.table=Partitions",
                                "spream.subscriptions.audit.storage.spanner.table=PARTITIONS")))
                .singleElement()
                .asString()
                .startsWith("audit: storage.spanner.table is 'PARTITIONS'")
                .contains("the table of orders", "set spream.subscriptions.audit.storage.spanner.table");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/spream",
                "jdbc:postgresql://db:5432/spream",
                "jdbc:postgresql://DB/spream?user=audit&ssl=true"
            })
    void two_subscriptions_with_one_stored_name_are_a_problem(String url) {
        assertThat(problems(ordersAndAudit()
                        .withPropertyValues(
                                "spream.defaults.storage=jdbc",
                                "spream.subscriptions.orders.storage.jdbc.url=jdbc:postgresql://db/spream",
                                "spream.subscriptions.audit.storage.jdbc.url=" + url,
                                "spream.subscriptions.audit.storage.jdbc.schema=spream", // as by default
                                "spream.subscriptions.audit.subscription=orders")))
                .singleElement()
                .asString()
                .startsWith("audit: it is stored as 'orders'")
                .contains("as orders is", "set spream.subscriptions.audit.subscription");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "subscription=audit",
                "storage.jdbc.schema=audit",
                "storage.jdbc.url=jdbc:postgresql://db/audit",
                "storage=memory"
            })
    void one_stored_name_in_two_places_is_no_problem(String difference) {
        ordersAndAudit()
                .withPropertyValues(
                        "spream.defaults.subscription=orders",
                        "spream.subscriptions.orders.max-inflight=8",
                        "spream.defaults.storage=jdbc",
                        "spream.defaults.storage.jdbc.url=jdbc:postgresql://db/spream",
                        "spream.subscriptions.audit." + difference)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private ApplicationContextRunner ordersAndAudit() {
        return stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withBean("audit", Consumer.class, SpreamAutoConfigurationTest::consumer);
    }

    @Test
    void a_shutdown_that_is_longer_than_the_application_waits_is_a_problem() {
        ApplicationContextRunner orders =
                stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer);

        assertThat(problems(orders.withPropertyValues("spream.defaults.shutdown-timeout=45s")))
                .singleElement()
                .asString()
                .contains("shutdown-timeout is 45s", "spring.lifecycle.timeout-per-shutdown-phase");
        orders.withPropertyValues(
                        "spream.defaults.shutdown-timeout=45s", "spring.lifecycle.timeout-per-shutdown-phase=1m")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1m30s", "30.5s", "0.5m1s"})
    void a_shutdown_is_compared_in_every_form_that_durations_have(String timeout) {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues("spream.defaults.shutdown-timeout=" + timeout)))
                .singleElement()
                .asString()
                .contains("shutdown-timeout is " + timeout, "spring.lifecycle.timeout-per-shutdown-phase");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "PT1M", "45", "2h"})
    void a_shutdown_that_is_no_valid_duration_is_one_problem(String timeout) {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues("spream.defaults.shutdown-timeout=" + timeout)))
                .singleElement()
                .asString()
                .startsWith("orders: shutdown-timeout is '" + timeout + "'")
                .contains("expected duration, 0s to 1h");
    }

    @Test
    void known_keys_without_an_effect_are_problems() {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withPropertyValues(
                                "spream.defaults.http=8080",
                                "spream.defaults.http-token=a-token-of-a-page",
                                "spream.subscriptions.orders.plugins=/opt/plugins")))
                .satisfiesExactlyInAnyOrder(
                        problem -> assertThat(problem)
                                .startsWith("orders: http-token (")
                                .contains("Actuator")
                                .doesNotContain("a-token"),
                        problem ->
                                assertThat(problem).startsWith("orders: http (").contains("Actuator"),
                        problem -> assertThat(problem)
                                .startsWith("orders: plugins (")
                                .contains("spream.defaults.plugins"));
    }

    @Test
    void beans_are_used_instead_of_configured_components() {
        runner.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withBean(ChangeStreamSource.class, SpreamAutoConfigurationTest::source)
                .withBean(PartitionStorage.class, InMemoryPartitionStorage::new)
                .withBean(ErrorHandler.class, ErrorHandler::stop)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_storage_bean_for_one_of_two_subscriptions_has_to_say_for_which() {
        assertThat(problems(stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withBean("audit", Consumer.class, SpreamAutoConfigurationTest::consumer)
                        .withBean("partitions", PartitionStorage.class, InMemoryPartitionStorage::new)))
                .anySatisfy(problem -> assertThat(problem)
                        .contains("the bean partitions serves one subscription", "@SpreamSubscription"));
    }

    @Test
    void an_invalid_configuration_is_described_as_spring_does() {
        stored.withBean("orders", Consumer.class, SpreamAutoConfigurationTest::consumer)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "systemEnvironment", Map.of("SPREAM_SUBSCRIPTIONS_ORDERS_MAXINFLIGHT", "none"))))
                .run(context -> {
                    FailureAnalysis analysis = requireNonNull(analyzer().analyze(failure(context.getStartupFailure())));
                    assertThat(analysis.getDescription())
                            .startsWith("The configuration of spream is invalid:")
                            .contains("1. orders: max-inflight is 'none' (\"SPREAM_SUBSCRIPTIONS_ORDERS_MAXINFLIGHT\""
                                    + " from property source \"systemEnvironment\"): expected integer, 1 to 1000");
                    assertThat(analysis.getAction()).contains("spream.subscriptions.<name>");
                });
    }

    /** Returns the one that Spring finds, among its own, which need a context. */
    private static FailureAnalyzer analyzer() {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {}))
                .stream()
                .filter(ConfigFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> problems(ApplicationContextRunner runner) {
        List<List<String>> found = new ArrayList<>();
        runner.run(context -> found.add(
                Stream.iterate(failure(context.getStartupFailure()), cause -> cause != null, Throwable::getCause)
                        .filter(ConfigException.class::isInstance)
                        .map(ConfigException.class::cast)
                        .findFirst()
                        .orElseThrow()
                        .problems()));
        return found.getFirst();
    }

    private static Throwable failure(@Nullable Throwable failure) {
        return requireNonNull(failure, "the failure of the start");
    }

    private static List<String> names(SpreamSubscriptions subscriptions) {
        return subscriptions.statuses().stream().map(SubscriptionStatus::name).toList();
    }

    private static ChangeHandler consumer() {
        return change -> {};
    }

    private static ScriptedSource source() {
        return ScriptedSource.of(ScriptedSource.START, List.of());
    }

    @Configuration(proxyBeanMethods = false)
    static class Annotated {
        @Bean
        @SpreamSubscription("audit-log")
        Consumer log() {
            return consumer();
        }
    }
}
