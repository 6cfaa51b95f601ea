package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.core.consume.Consumer;
import dev.spream.sink.pubsub.PubsubOptions.Server;
import dev.spream.testkit.consume.RecordingBatch;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PubsubSinkProviderTest {
    private static final String SOME_TOPIC = "projects/demo/topics/changes";
    private final PubsubSinkProvider provider = new PubsubSinkProvider();

    private static PubsubOptions options(Map<String, String> values, Optional<String> environment) {
        Map<String, String> all = new HashMap<>(values);
        all.putIfAbsent("topic", SOME_TOPIC);
        return PubsubSinkProvider.options(TestConfig.of(all), environment);
    }

    @Test
    void it_is_found_by_name() {
        assertThat(ServiceLoader.load(ConsumerProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(PubsubSinkProvider.class::isInstance)
                        .map(ConsumerProvider::name))
                .containsExactly("pubsub");
    }

    @Test
    void defaults_hold_and_every_key_is_read() {
        assertThat(options(Map.of(), Optional.empty()))
                .isEqualTo(new PubsubOptions(
                        PubsubOptions.Use.SINK,
                        PubsubTopic.parse(SOME_TOPIC),
                        new Server.Google(Optional.empty(), Optional.empty()),
                        Duration.ofMinutes(1),
                        100,
                        1_000,
                        1 << 20,
                        false));
        Map<String, String> values = Map.of(
                "endpoint", "europe-west1-pubsub.googleapis.com:443",
                "credentials-file", "key.json",
                "publish-timeout", "5s",
                "max-requests", "7",
                "batch-messages", "8",
                "batch-bytes", "9KiB",
                "compression", "true");
        assertThat(options(values, Optional.empty()))
                .isEqualTo(new PubsubOptions(
                        PubsubOptions.Use.SINK,
                        PubsubTopic.parse(SOME_TOPIC),
                        new Server.Google(
                                Optional.of("europe-west1-pubsub.googleapis.com:443"),
                                Optional.of(Path.of("key.json"))),
                        Duration.ofSeconds(5),
                        7,
                        8,
                        9 << 10,
                        true));
    }

    @Test
    void an_emulator_is_used_when_it_is_configured_or_in_the_environment() {
        Server configured = new Server.Emulator("localhost:8085");
        assertThat(options(Map.of("emulator-host", "localhost:8085"), Optional.of("other:1"))
                        .server())
                .isEqualTo(configured);
        assertThat(options(Map.of(), Optional.of("localhost:8085")).server()).isEqualTo(configured);
        assertThat(options(Map.of(), Optional.of(" ")).server()).isInstanceOf(Server.Google.class);
        assertThat(options(Map.of("credentials-file", "key.json"), Optional.of("localhost:8085"))
                        .server())
                .isEqualTo(configured);
    }

    @Test
    void an_emulator_and_the_real_thing_are_not_mixed_up() {
        for (String key : List.of("endpoint", "credentials-file")) {
            assertThatThrownBy(() -> options(Map.of("emulator-host", "localhost:8085", key, "h:443"), Optional.empty()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("emulator-host cannot be combined");
        }
        assertThatThrownBy(() -> options(Map.of("endpoint", "h:443"), Optional.of("localhost:8085")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PUBSUB_EMULATOR_HOST is set to localhost:8085");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "changes",
                "projects/demo/topics/",
                "projects/demo/topics/ab",
                "projects/demo/topics/1abc",
                "projects/demo/topics/goog-changes",
                "projects/demo/topics/a/b/c",
                "projects/demo/subscriptions/changes",
                "projects//topics/changes"
            })
    void an_invalid_topic_is_refused(String name) {
        assertThatThrownBy(() -> options(Map.of("topic", name), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"projects/demo/topics/abc", "projects/example.com:demo-1/topics/Changes._~+%-", SOME_TOPIC})
    void a_topic_is_read_and_written(String name) {
        assertThat(PubsubTopic.parse(name)).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:0", "localhost:99999", "http://localhost:80", "a b:80"})
    void an_invalid_endpoint_is_refused(String host) {
        assertThatThrownBy(() -> options(Map.of("endpoint", host), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host:port");
    }

    @Test
    void the_topic_is_looked_for_unless_told_not_to() throws Exception {
        try (PublisherServer server = PublisherServer.start()) {
            server.refuseLooks(Status.NOT_FOUND);
            Map<String, String> values = Map.of("topic", PublisherServer.TOPIC, "emulator-host", server.host());
            assertThatThrownBy(() -> provider.create(TestConfig.of(values), TestConfig.CONTEXT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("gcloud pubsub topics create");
            Map<String, String> unchecked = new HashMap<>(values);
            unchecked.put("check-topic", "false");
            unchecked.put("compression", "true");
            Consumer sink = provider.create(TestConfig.of(unchecked), TestConfig.CONTEXT);
            assertThat(sink).hasToString("pubsub to " + PublisherServer.TOPIC);
            sink.consume(PubsubChanges.change(1, "a"), RecordingBatch.DELIVERY);
            assertThat(server.taken()).hasSize(1);
            ((AutoCloseable) sink).close();
        }
    }

    @Test
    void a_server_that_is_not_there_is_said_within_the_time() throws Exception {
        PublisherServer gone = PublisherServer.start();
        gone.close();
        Map<String, String> values =
                Map.of("topic", PublisherServer.TOPIC, "emulator-host", gone.host(), "publish-timeout", "300ms");
        assertThatThrownBy(() -> provider.create(TestConfig.of(values), TestConfig.CONTEXT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(PublisherServer.TOPIC);
    }

    @Test
    void the_key_of_a_service_account_is_read(@TempDir Path folder) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1_024); // quicker to find
        String key = Base64.getEncoder()
                .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
        Path file = Files.writeString(folder.resolve("key.json"), """
                {
                  "type": "service_account",
                  "project_id": "demo",
                  "private_key_id": "1",
                  "private_key": "-----BEGIN PRIVATE KEY-----\\n%s\\n-----END PRIVATE KEY-----\\n",
                  "client_id": "1",
                  "client_email": "someone@demo.iam.gserviceaccount.com"
                }
                """.formatted(key));
        Map<String, String> values =
                Map.of("topic", SOME_TOPIC, "credentials-file", file.toString(), "endpoint", "localhost:1");
        try (PubsubSink sink = new PubsubSink(
                TopicClient.open(PubsubSinkProvider.options(TestConfig.of(values), Optional.empty())),
                ChangeMessages.OF_RECORDS)) {
            assertThat(sink).hasToString("pubsub to " + SOME_TOPIC);
        }
    }

    @Test
    void credentials_that_cannot_be_read_are_named_by_their_file(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("key.json"), "{\"private_key\": \"secret\"}");
        Map<String, String> values = Map.of("topic", SOME_TOPIC, "credentials-file", file.toString());
        PubsubOptions options = PubsubSinkProvider.options(TestConfig.of(values), Optional.empty());
        assertThatThrownBy(() -> new PubsubSink(TopicClient.open(options), ChangeMessages.OF_RECORDS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("sink.pubsub.credentials-file: " + file)
                .hasMessageNotContaining("secret");
    }
}
