package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static dev.spream.sink.kafka.KafkaChanges.labels;
import static dev.spream.sink.kafka.KafkaChanges.withNote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of batches that are published as a whole or not at all. */
@Timeout(120)
final class TransactionsIT {
    private static final BrokerProxy PROXY = TestBroker.proxy();

    @AfterEach
    void repair() {
        PROXY.pass();
        PROXY.mute(false);
        PROXY.cut(false);
    }

    private static TransactionalSink sink(String topic, String id, Map<String, String> more) throws Exception {
        Map<String, String> values = new HashMap<>(Map.of(
                "bootstrap-servers",
                PROXY.address(),
                "topic",
                topic,
                "transactional-id",
                id,
                "transactions",
                "2",
                "publish-timeout",
                "2s"));
        values.putAll(more);
        return (TransactionalSink) new KafkaSinkProvider().create(TestConfig.of(values), TestConfig.CONTEXT);
    }

    private static Topics topics() {
        return TestBroker.topics();
    }

    @Test
    void a_batch_is_read_as_a_whole_and_one_that_fails_not_at_all() throws Exception {
        String topic = topics().create("whole", 3);
        try (TransactionalSink sink = sink(topic, "whole", Map.of())) {
            sink.consume(new RecordingBatch(change(1, "a", "b"), change(2, "a")));
            assertThatThrownBy(() -> sink.consume(new RecordingBatch(
                            change(3, "a"), withNote(4, "x".repeat(2_000_000), "b"), change(5, "c"))))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("is too large for topic whole");
            assertThat(labels(topics().read(topic))).containsExactlyInAnyOrder("a1", "b1", "a2");
            sink.consume(new RecordingBatch(change(3, "a")));
            assertThat(sink).hasToString("kafka to whole, in transactions");
        }
        assertThat(labels(topics().read(topic))).containsExactlyInAnyOrder("a1", "b1", "a2", "a3");
        assertThat(topics().read(topic, "read_uncommitted").size())
                .as("messages with those of the failed transaction")
                .isGreaterThanOrEqualTo(4);
    }

    @Test
    void a_second_worker_with_the_same_id_ends_the_transactions_of_the_first() throws Exception {
        String topic = topics().create("fenced", 1);
        try (TransactionalSink zombie = sink(topic, "same", Map.of())) {
            zombie.consume(new RecordingBatch(change(1, "a")));
            try (TransactionalSink successor = sink(topic, "same", Map.of())) {
                successor.consume(new RecordingBatch(change(2, "a")));
                assertThatThrownBy(() -> zombie.consume(new RecordingBatch(change(1, "a"))))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("another process uses the same sink.kafka.transactional-id");
            }
        }
        assertThat(labels(topics().read(topic))).containsExactly("a1", "a2");
    }

    @Test
    void a_transaction_without_an_answer_is_repeated_as_a_whole() throws Exception {
        String topic = topics().create("unanswered", 1);
        try (TransactionalSink sink = sink(topic, "unanswered", Map.of("transactions", "1"))) {
            sink.consume(new RecordingBatch(change(1, "a")));
            PROXY.hold();
            assertThatThrownBy(() -> sink.consume(new RecordingBatch(change(2, "a"), change(3, "a"))))
                    .isInstanceOf(IOException.class);
            PROXY.pass();
            RecordingBatch again = new RecordingBatch(change(2, "a"), change(3, "a"), change(4, "a"));
            boolean published = false;
            while (!published) {
                try {
                    sink.consume(again);
                    published = true;
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("unanswered");
                }
            }
            PROXY.release();
            assertThat(labels(topics().read(topic))).containsExactly("a1", "a2", "a3", "a4");
        }
    }
}
