package dev.spream.sink.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ConfigKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientPropertiesTest {
    private static final Map<String, String> NEEDED = Map.of("bootstrap-servers", "localhost:9092", "topic", "orders");

    private static String read(String property, String value) {
        return requireNonNull(ClientProperties.KEYS.get(property)).type().read(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "retries",
                "delivery.timeout.ms",
                "max.block.ms",
                "key.serializer",
                "value.serializer",
                "partitioner.class",
                "partitioner.ignore.keys",
                "transactional.id",
                "bootstrap.servers",
                "config.providers",
                "transaction.two.phase.commit.enable"
            })
    void properties_that_would_break_a_promise_are_refused_by_name(String property) {
        assertThatThrownBy(() -> read(property, "all"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("spream sets this property itself: ");
    }

    @Test
    void requests_in_flight_are_limited_to_what_keeps_their_order() {
        String property = ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
        assertThat(read(property, "5")).isEqualTo("5");
        assertThatThrownBy(() -> read(property, "6")).hasMessageContaining("expected at most 5");
    }

    @ParameterizedTest
    @CsvSource({
        "linger.ms, soon, expected long",
        "linger.ms, -1, expected long",
        "security.protocol, SASL, expected string",
        "compression.type, rar, expected string",
        "enable.metrics.push, maybe, expected boolean"
    })
    void a_value_that_kafka_would_refuse_is_refused_without_being_quoted(String property, String value, String words) {
        assertThatThrownBy(() -> read(property, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(words)
                .hasMessageNotContaining(value + " ");
    }

    @Test
    void passwords_and_keys_are_secrets() {
        assertThat(ClientProperties.KEYS.entrySet().stream()
                        .filter(entry -> entry.getValue().isSecret())
                        .map(Map.Entry::getKey))
                .contains(
                        "sasl.jaas.config",
                        "ssl.key.password",
                        "ssl.keystore.key",
                        "ssl.keystore.password",
                        "ssl.truststore.password",
                        "sasl.oauthbearer.client.credentials.client.secret");
    }

    @Test
    void every_property_of_the_producer_has_a_key() {
        assertThat(new KafkaSinkProvider().keys())
                .extracting(ConfigKey::name)
                .containsAll(ProducerConfig.configNames().stream()
                        .map("client."::concat)
                        .toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void compression_whose_library_is_missing_is_refused_with_its_name() {
        KafkaSinkProvider provider = new KafkaSinkProvider();
        assertThat(provider.problems(TestConfig.of(provider, with("client.compression.type", "gzip"))))
                .isEmpty();
        assertThat(provider.problems(TestConfig.of(provider, with("client.compression.type", "zstd"))))
                .singleElement()
                .asString()
                .startsWith("client.compression.type: zstd needs a library")
                .contains("com.github.luben:zstd-jni");
    }

    private static Map<String, String> with(String key, String value) {
        Map<String, String> values = new HashMap<>(NEEDED);
        values.put(key, value);
        return values;
    }

    @Test
    void a_transaction_lasts_longer_than_its_messages_unless_configured() {
        String property = ProducerConfig.TRANSACTION_TIMEOUT_CONFIG;
        Optional<String> id = Optional.of("worker-1");
        assertThat(KafkaChanges.options("localhost:9092", Duration.ofSeconds(45), Map.of())
                        .producer(id))
                .containsEntry(property, 75_000);
        assertThat(KafkaChanges.options("localhost:9092", Duration.ofSeconds(2), Map.of())
                        .producer(id))
                .containsEntry(property, 60_000);
        assertThat(KafkaChanges.options("localhost:9092", Duration.ofSeconds(2), Map.of(property, "5000"))
                        .producer(id))
                .containsEntry(property, "5000");
        assertThat(KafkaChanges.options("localhost:9092", Duration.ofSeconds(2), Map.of())
                        .producer(Optional.empty()))
                .doesNotContainKey(property);
    }

    @Test
    void the_time_of_a_message_limits_that_of_a_request_unless_configured() {
        KafkaOptions options =
                KafkaChanges.options("localhost:9092", Duration.ofSeconds(2), Map.of("linger.ms", "500"));
        assertThat(options.producer(Optional.empty()))
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("delivery.timeout.ms", 2_000)
                .containsEntry("request.timeout.ms", 666);
        assertThat(options).hasToString("KafkaOptions[servers=[localhost:9092], properties=[linger.ms]]");
    }

    @Test
    void a_configured_time_of_a_request_counts_for_idle_connections_and_late_requests() {
        KafkaOptions options =
                KafkaChanges.options("localhost:9092", Duration.ofMinutes(2), Map.of("request.timeout.ms", "60000"));
        assertThat(options.producer(Optional.empty()))
                .containsEntry("request.timeout.ms", 60_000)
                .containsEntry("connections.max.idle.ms", 90_000L);
        assertThat(options.lateFor()).isEqualTo(Duration.ofMinutes(3));
    }
}
