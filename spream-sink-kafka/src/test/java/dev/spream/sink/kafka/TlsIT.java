package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.kafka.KafkaBroker;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishing over TLS, to a broker whose certificate is for 127.0.0.1 and signed by itself. */
@Timeout(120)
final class TlsIT {
    private static final String STORE_PASSWORD = "store-pw-4711";

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        Path store = folder.resolve("broker.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=broker",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD);
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "broker",
                "-file",
                certificate(),
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD);
        Map<String, String> settings = new HashMap<>();
        settings.put("listener.security.protocol.map", "CLIENT:SSL,CONTROLLER:PLAINTEXT");
        for (String kind : List.of("keystore", "truststore")) {
            settings.put("ssl." + kind + ".location", store.toString());
            settings.put("ssl." + kind + ".password", STORE_PASSWORD);
            settings.put("ssl." + kind + ".type", "PKCS12");
        }
        broker = KafkaBroker.start(Files.createDirectory(folder.resolve("broker")), settings);
        topics().create("orders", 1);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException(Files.readString(folder.resolve("keytool.log")));
        }
    }

    private static String certificate() {
        return folder.resolve("ca.pem").toString();
    }

    private static Map<String, String> trusting() {
        return Map.of(
                "security.protocol", "SSL", "ssl.truststore.type", "PEM", "ssl.truststore.location", certificate());
    }

    private static Topics topics() {
        Map<String, Object> all = new HashMap<>(trusting());
        all.put("bootstrap.servers", broker.address());
        return new Topics(all);
    }

    private static KafkaSink sink(String servers, Map<String, String> client, Map<String, String> more)
            throws Exception {
        Map<String, String> values = new HashMap<>(Map.of("bootstrap-servers", servers, "topic", "orders"));
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
        long before = topics().count("orders");
        try (KafkaSink sink = sink(broker.address(), trusting(), Map.of())) {
            publish(sink, 1);
        }
        assertThat(topics().count("orders")).isEqualTo(before + 1);
    }

    @Test
    void a_certificate_that_is_not_trusted_is_refused_with_its_reason() {
        assertThatThrownBy(() -> sink(broker.address(), Map.of("security.protocol", "SSL"), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("topic orders cannot be used: SSL handshake failed")
                .hasMessageContaining("unable to find valid certification path to requested target")
                .hasMessageContaining("check sink.kafka.client.sasl.* and client.ssl.*");
    }

    @Test
    void a_certificate_for_another_host_is_refused_with_its_reason() {
        String other = broker.address().replace("127.0.0.1", "localhost");
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
                "ssl.truststore.location", folder.resolve("broker.p12").toString(),
                "ssl.truststore.password", "wrong-pw-0815");
        assertThatThrownBy(() -> sink(broker.address(), client, Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no connection to " + broker.address() + " can be made: ")
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
            sink(servers + broker.address(), trusting(), start).close();
            Map<String, String> client = new HashMap<>(trusting());
            client.put("connections.max.idle.ms", "1000"); // of the producer, instead of ten seconds at least
            try (KafkaSink sink = sink(servers + broker.address(), client, start)) {
                publish(sink, 2);
            }
        } finally {
            for (ServerSocket server : silent) {
                server.close();
            }
        }
    }
}
