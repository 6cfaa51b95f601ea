package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static dev.spream.sink.kafka.KafkaChanges.labels;
import static dev.spream.sink.kafka.KafkaChanges.withNote;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of messages and of outcomes, by a broker's own answers. */
@Timeout(120)
final class KafkaSinkIT {

    static KafkaSink sink(String topic, Map<String, String> more) throws Exception {
        Map<String, String> values = new HashMap<>(Map.of(
                "bootstrap-servers",
                TestBroker.address(),
                "topic",
                topic,
                "check-topic",
                "false",
                "publish-timeout",
                "20s"));
        values.putAll(more);
        return (KafkaSink) new KafkaSinkProvider().create(TestConfig.of(values), TestConfig.CONTEXT);
    }

    private static RecordingBatch publish(KafkaSink sink, DataChangeRecord... changes) throws Exception {
        RecordingBatch batch = new RecordingBatch(changes);
        sink.consume(batch);
        return batch;
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return TestBroker.topics().read(topic);
    }

    @Test
    void a_change_of_several_rows_gives_a_message_for_each_with_its_key_and_headers() throws Exception {
        String topic = TestBroker.newTopic(1);
        try (KafkaSink sink =
                sink(topic, Map.of("source-database", "projects/p/instances/i/databases/bank", "source-stream", "S"))) {
            assertThat(publish(sink, change(7, "a", "b")).settled()).containsExactly(0);
        }
        List<ConsumerRecord<byte[], byte[]>> messages = read(topic);
        assertThat(messages).hasSize(2);
        ConsumerRecord<byte[], byte[]> second = messages.get(1);
        assertThat(new String(second.key(), UTF_8)).isEqualTo("{\"Id\":\"b\"}");
        assertThat(new String(second.value(), UTF_8)).isEqualTo(change(7, "b").toJson());
        Map<String, String> headers = new HashMap<>();
        StreamSupport.stream(second.headers().spliterator(), false)
                .forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("identity", change(7, "b").identity() + "/1"),
                        Map.entry("database", "projects/p/instances/i/databases/bank"),
                        Map.entry("stream", "S"),
                        Map.entry("table", "Orders"),
                        Map.entry("mod_type", "UPDATE"),
                        Map.entry(
                                "commit_timestamp",
                                KafkaChanges.START.plusSeconds(7).toString()),
                        Map.entry("server_transaction_id", "tx7"),
                        Map.entry("record_sequence", "00000000"),
                        Map.entry("mod_index", "1"),
                        Map.entry("number_of_mods", "2"),
                        Map.entry("transaction_tag", "nightly"),
                        Map.entry("partition_token", "partition-1"),
                        Map.entry("lease_epoch", "1")));
    }

    @Test
    void keys_are_where_other_clients_of_kafka_put_them_and_their_changes_in_order() throws Exception {
        String topic = TestBroker.newTopic(5);
        DataChangeRecord[] changes = IntStream.rangeClosed(1, 100)
                .mapToObj(i -> change(i, "row" + i % 7))
                .toArray(DataChangeRecord[]::new);
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch batch = publish(sink, changes);
            assertThat(batch.failed()).isEmpty();
            assertThat(batch.settled()).hasSize(100);
        }
        List<ConsumerRecord<byte[], byte[]>> messages = read(topic);
        assertThat(messages).hasSize(100);
        PublishedOrder.check(Arrays.asList(changes), messages);
        Map<String, Integer> partitions = new HashMap<>();
        try (var other = TestBroker.topics().producer()) {
            for (ConsumerRecord<byte[], byte[]> message : messages) {
                partitions.put(new String(message.key(), UTF_8), message.partition());
            }
            for (Map.Entry<String, Integer> entry : partitions.entrySet()) {
                var record = new ProducerRecord<>(topic, entry.getKey().getBytes(UTF_8), new byte[0]);
                assertThat(other.send(record).get().partition()).isEqualTo(entry.getValue());
            }
        }
        assertThat(partitions).hasSize(7);
    }

    @Test
    void a_message_that_is_too_large_fails_for_good_with_its_size_and_holds_up_its_key_alone() throws Exception {
        String topic = TestBroker.newTopic(1);
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch batch = publish(
                    sink, change(1, "a"), withNote(2, "x".repeat(2_000_000), "a"), change(3, "b"), change(4, "a"));
            assertThat(batch.failure(1))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("is too large for topic " + topic)
                    .hasMessageContaining("a message of it has 2,000,")
                    .hasMessageContaining("larger than 1048576")
                    .hasMessageContaining("raise sink.kafka.client.max.request.size")
                    .hasMessageNotContaining("xxx");
            assertThat(batch.failure(3)).hasMessageContaining("an earlier change of its keys was not");
        }
        assertThat(labels(read(topic))).containsExactlyInAnyOrder("a1", "b3");
    }

    @Test
    void a_message_that_is_too_large_for_the_topic_fails_for_good() throws Exception {
        String topic = TestBroker.topics().create("small", 1, Map.of("max.message.bytes", "5000"));
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch batch = publish(sink, change(1, "a"), withNote(2, "x".repeat(6_000), "b"), change(3, "c"));
            assertThat(batch.failure(1))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("max.message.bytes of the topic");
        }
        assertThat(labels(read(topic))).containsExactlyInAnyOrder("a1", "c3");
    }

    @Test
    void a_table_without_a_topic_is_named_and_does_not_hold_up_others() throws Exception {
        TestBroker.topics().create("of.Known", 1);
        try (KafkaSink sink = sink("of.{table}", Map.of("publish-timeout", "2s"))) {
            RecordingBatch batch = publish(
                    sink,
                    KafkaChanges.ofTable("Known", 1, "", "a"),
                    KafkaChanges.ofTable("Missing", 2, "", "a"),
                    KafkaChanges.ofTable("B\u00fccher", 3, "", "a"),
                    KafkaChanges.ofTable("Known", 4, "", "a"));
            assertThat(batch.failure(1))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("for topic of.Missing")
                    .hasMessageContaining("--create --topic of.Missing");
            assertThat(batch.failure(2))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("the one of table B\u00fccher");
        }
        assertThat(labels(read("of.Known"))).containsExactly("a1", "a4");
    }

    @Test
    void a_row_without_a_readable_key_fails_for_good() throws Exception {
        String topic = TestBroker.newTopic(1);
        DataChangeRecord broken = change(2, "a")
                .with(List.of(), List.of(new Mod(JsonObject.of("{\"Id\":"), JsonObject.EMPTY, JsonObject.EMPTY)));
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch batch = publish(sink, change(1, "a"), broken);
            assertThat(batch.settled()).containsExactly(0);
            assertThat(batch.failure(1)).isInstanceOf(NonRetryableException.class);
        }
    }

    @Test
    void a_topic_with_more_partitions_continues_and_configured_ones_keep_their_keys() throws Exception {
        String moving = TestBroker.newTopic(1);
        String staying = TestBroker.newTopic(1);
        Map<String, String> refresh = Map.of("client.metadata.max.age.ms", "100");
        try (KafkaSink first = sink(moving, refresh);
                KafkaSink second = sink(staying, Map.of("partitions", "1", "client.metadata.max.age.ms", "100"))) {
            publish(first, change(1, "a", "b", "c", "d"));
            publish(second, change(1, "a", "b", "c", "d"));
            TestBroker.topics().grow(moving, 8);
            TestBroker.topics().grow(staying, 8);
            long next = 2;
            while (read(moving).stream().allMatch(message -> message.partition() == 0)) {
                publish(first, change(next++, "a", "b", "c", "d"));
            }
            while (second.producer().get().partitionsFor(staying).size() < 8) {
                publish(second, change(2, "a", "b", "c", "d"));
            }
            publish(second, change(3, "a", "b", "c", "d"));
            assertThat(read(staying)).hasSizeGreaterThan(7).allMatch(message -> message.partition() == 0);
        }
    }

    @Test
    void a_closed_sink_publishes_nothing() throws Exception {
        String topic = TestBroker.newTopic(1);
        KafkaSink sink = sink(topic, Map.of());
        sink.close();
        sink.close();
        assertThatThrownBy(() -> publish(sink, change(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nothing more is published");
        assertThat(read(topic)).isEmpty();
    }
}
