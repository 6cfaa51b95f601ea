package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static dev.spream.sink.kafka.KafkaChanges.labels;
import static dev.spream.sink.kafka.KafkaChanges.withNote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigReference;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.ConsumerException;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A subscription from configuration: what the policies make of what the sink says, and what the configuration shows. */
@Timeout(120)
final class ConfiguredSinkIT {
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();

    private static Map<String, String> settings(String topic, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sink",
                "kafka",
                "sink.kafka.bootstrap-servers",
                TestBroker.address(),
                "sink.kafka.topic",
                topic,
                "max-inflight",
                "10",
                "retry.base-delay",
                "1ms",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(60).toString()));
        settings.putAll(more);
        return settings;
    }

    private CompletionReason run(String topic, List<DataChangeRecord> changes, Map<String, String> more) {
        try (Spream spream = Spream.builder(SpreamConfig.of(settings(topic, more)))
                .source(ScriptedSource.of(ScriptedSource.START, changes))
                .storage(storage)
                .build()) {
            return spream.run();
        }
    }

    @Test
    void a_change_refused_for_good_is_parked_with_all_later_ones_of_its_key(@TempDir Path folder) throws Exception {
        for (Map<String, String> mode :
                List.of(Map.<String, String>of(), Map.of("sink.kafka.transactional-id", "parking"))) {
            String topic = TestBroker.newTopic(1);
            Path letters = folder.resolve(topic + ".jsonl");
            Map<String, String> more = new HashMap<>(mode);
            more.putAll(Map.of(
                    "subscription",
                    topic,
                    "on-failure",
                    "park-key",
                    "dead-letters",
                    "jsonl",
                    "dead-letters.jsonl.path",
                    letters.toString()));
            List<DataChangeRecord> changes =
                    List.of(change(1, "a"), withNote(2, "x".repeat(2_000_000), "a"), change(3, "b"), change(4, "a"));
            InMemoryPartitionStorage own = new InMemoryPartitionStorage();
            try (Spream spream = Spream.builder(SpreamConfig.of(settings(topic, more)))
                    .source(ScriptedSource.of(ScriptedSource.START, changes))
                    .storage(own)
                    .build()) {
                assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            }
            assertThat(labels(TestBroker.topics().read(topic))).containsOnly("a1", "b3");
            try (JsonlDeadLetterSink store = JsonlDeadLetterSink.open(letters)) {
                assertThat(store.openLetters())
                        .extracting(DeadLetterStore.Entry::reason)
                        .containsExactly(DeadLetter.Reason.PARKED, DeadLetter.Reason.BEHIND_PARKED);
            }
        }
    }

    @Test
    void a_topic_that_is_missing_stops_the_subscription_after_its_attempts_and_a_restart_continues() throws Exception {
        List<DataChangeRecord> changes = List.of(change(1, "a"), change(2, "a"), change(3, "b"));
        Map<String, String> more = Map.of(
                "sink.kafka.check-topic", "false", "sink.kafka.publish-timeout", "500ms", "retry.max-attempts", "2");
        assertThatThrownBy(() -> run("later", changes, more))
                .isInstanceOf(ConsumerException.class)
                .hasStackTraceContaining("--create --topic later");
        TestBroker.topics().create("later", 1);
        assertThat(run("later", changes, more)).isEqualTo(CompletionReason.COMPLETED);
        PublishedOrder.check(changes, TestBroker.topics().read("later"));
    }

    @Test
    void secrets_of_the_client_are_shown_nowhere_and_refused_properties_by_their_names() {
        Map<String, String> login = Map.of(
                "sink.kafka.client.sasl.jaas.config",
                "org.example.Login required username=\"u\" password=\"kafka-pw-1\";",
                "sink.kafka.client.ssl.keystore.password",
                "kafka-pw-2",
                "sink.kafka.client.linger.ms",
                "3");
        ConfigCheck check = ConfigCheck.of(SpreamConfig.of(settings("orders", login)));
        String shown = ConfigReference.text(check.entries());
        assertThat(shown)
                .contains("sink.kafka.client.linger.ms = 3")
                .contains("sink.kafka.client.sasl.jaas.config = ********")
                .doesNotContain("kafka-pw");
        assertThatThrownBy(() -> run(
                        "orders", List.of(), Map.of("sink.kafka.client.acks", "1", "sink.kafka.client.lingr.ms", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sink.kafka.client.acks is '1'")
                .hasMessageContaining("spream sets this property itself")
                .hasMessageContaining("did you mean sink.kafka.client.linger.ms?");
    }
}
