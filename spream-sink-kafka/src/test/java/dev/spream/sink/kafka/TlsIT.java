package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishing over TLS, to a broker whose certificate is for 127.0.0.1 and signed by itself. */
@Timeout(120)
final class TlsIT {
    @BeforeAll
    static void createTopic() throws Exception {
        TestBroker.topics().create("secret-orders", 1);
    }

    private static Map<String, String> trusting() {
        return Map.of(
                "security.protocol", "SSL",
                "ssl.truststore.type", "PEM",
                "ssl.truststore.location", TestBroker.store().certificate().toString());
    }

    private static KafkaSink sink(String servers, Map<String, String> client, Map<String, String> more)
            throws Exception {
        Map<String, String> values = new HashMap<>(Map.of("bootstrap-servers", servers, "topic", "secret-orders"));
        client.forEach((name, value) -> values.put("client." + name, value));
        values.putAll(more);
        return (KafkaSink) new KafkaSinkProvider().create(TestConfig.of(values), TestConfig.CONTEXT);
    }

    private static void publish(KafkaSink sink, long second) throws Exception {
        RecordingBatch batch = new RecordingBatch(change(second, "a"));
        sink.consume(batch);
        assertThat(batch.failed()).isEmpty();
        assertThat(batch.settled()).containsExactly(0);
    }

    @Test
    void changes_are_published() throws Exception {
        long before = TestBroker.topics().count("secret-orders");
        try (KafkaSink sink = sink(TestBroker.tlsAddress(), trusting(), Map.of())) {
            publish(sink, 1);
        }
        assertThat(TestBroker.topics().count("secret-orders")).isEqualTo(before + 1);
    }

    @Test
    void a_certificate_that_is_not_trusted_is_refused_with_its_reason() {
        assertThatThrownBy(() -> sink(TestBroker.tlsAddress(), Map.of("security.protocol", "SSL"), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("topic secret-orders cannot be used: SSL handshake failed")
                .hasMessageContaining("unable to find valid certification path to requested target")
                .hasMessageContaining("check sink.kafka.client.sasl.* and client.ssl.*");
    }

    @Test
    void a_certificate_for_another_host_is_refused_with_its_reason() {
        String other = TestBroker.tlsAddress().replace("127.0.0.1", "localhost");
        assertThatThrownBy(() -> sink(other, trusting(), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("SSL handshake failed")
                .hasMessageContaining("localhost");
    }

    @Test
    void a_wrong_password_of_a_store_is_told_and_not_shown() {
        Map<String, String> client = Map.of(
                "security.protocol", "SSL",
                "ssl.truststore.type", "PKCS12",
                "ssl.truststore.location", TestBroker.store().file().toString(),
                "ssl.truststore.password", "wrong-pw-0815");
        assertThatThrownBy(() -> sink(TestBroker.tlsAddress(), client, Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no connection to " + TestBroker.tlsAddress() + " can be made: ")
                .hasMessageContaining("keystore password was incorrect")
                .hasMessageNotContaining("wrong-pw-0815");
    }

    @Test
    void brokers_that_accept_and_never_answer_do_not_keep_the_start_from_the_others() throws Exception {
        List<ServerSocket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                silent.add(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            }
            String servers = silent.stream()
                    .map(server -> "127.0.0.1:%d,".formatted(server.getLocalPort()))
                    .collect(Collectors.joining());
            Map<String, String> start = Map.of("start-timeout", "10s");
            sink(servers + TestBroker.tlsAddress(), trusting(), start).close();
            Map<String, String> client = new HashMap<>(trusting());
            client.put("connections.max.idle.ms", "1000"); // of the producer, instead of ten seconds at least
            try (KafkaSink sink = sink(servers + TestBroker.tlsAddress(), client, start)) {
                publish(sink, 2);
            }
        } finally {
            for (ServerSocket server : silent) {
                server.close();
            }
        }
    }
}
