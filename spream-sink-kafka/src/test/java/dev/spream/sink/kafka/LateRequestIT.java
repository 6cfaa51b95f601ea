package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.RecordingBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the network delivers after the sink has abandoned them, and answers that it loses. */
@Timeout(120)
final class LateRequestIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final BrokerProxy PROXY = TestBroker.proxy();

    @AfterEach
    void repair() {
        PROXY.pass();
        PROXY.mute(false);
        PROXY.cut(false);
        PROXY.failIds(Errors.NONE);
    }

    private static KafkaSink sink(String topic, Map<String, String> properties) throws Exception {
        return sink(topic, TIMEOUT, properties);
    }

    private static KafkaSink sink(String topic, Duration timeout, Map<String, String> properties) throws Exception {
        return new KafkaSink(
                SharedProducer.open(KafkaChanges.options(PROXY.address(), timeout, properties)),
                new Partitions(OptionalInt.empty(), "sink.kafka.partitions"),
                new RowMessages(TopicTemplate.parse(topic), Optional.empty(), Optional.empty(), Optional.empty()));
    }

    private static List<String> published(String topic) {
        return KafkaChanges.labels(TestBroker.topics().read(topic));
    }

    /** Publishes until it is confirmed, as the engine does. */
    private static void publish(KafkaSink sink, DataChangeRecord... changes) throws Exception {
        RecordingBatch batch = new RecordingBatch(changes);
        sink.consume(batch);
        while (!batch.failed().isEmpty()) {
            batch = new RecordingBatch(changes);
            sink.consume(batch);
        }
        assertThat(batch.settled()).hasSize(changes.length);
    }

    /** @param requestTimeout below the time of a message the client repeats the request, at it the message expires first */
    @ParameterizedTest
    @ValueSource(ints = {200, 1000})
    void a_request_that_arrives_after_later_changes_of_its_key_is_not_taken(int requestTimeout) throws Exception {
        String topic = TestBroker.topics().create("late-" + requestTimeout, 1);
        try (KafkaSink sink = sink(topic, Map.of("request.timeout.ms", Integer.toString(requestTimeout)))) {
            publish(sink, change(1, "a"));
            PROXY.hold();
            int heldBefore = PROXY.held();
            RecordingBatch lost = new RecordingBatch(change(2, "a"), change(3, "a"));
            sink.consume(lost);
            assertThat(lost.failed()).containsOnlyKeys(0, 1);
            assertThat(lost.failure(0)).hasMessageContaining("was not confirmed for topic " + topic);
            assertThat(lost.failure(1)).hasMessageContaining("an earlier change of its keys was not");
            assertThat(PROXY.held()).as("requests that the network has").isGreaterThan(heldBefore);
            PROXY.pass();
            publish(sink, change(2, "a"), change(3, "a"), change(4, "a"));
            assertThat(published(topic)).containsExactly("a1", "a2", "a3", "a4");
            PROXY.release();
            assertThat(published(topic)).containsExactly("a1", "a2", "a3", "a4");
            publish(sink, change(5, "a"));
            assertThat(published(topic)).containsExactly("a1", "a2", "a3", "a4", "a5");
        }
    }

    @Test
    void a_request_of_a_replaced_producer_that_arrives_soon_does_not_overtake() throws Exception {
        String topic = TestBroker.topics().create("replaced", 1);
        try (KafkaSink sink = sink(topic, Map.of())) {
            publish(sink, change(1, "a"));
            PROXY.hold();
            RecordingBatch lost = new RecordingBatch(change(2, "a"));
            sink.consume(lost);
            assertThat(lost.failed()).containsOnlyKeys(0);
            sink.producer().replace(sink.producer().get()); // as after a failure that is final
            PROXY.pass();
            FutureTask<@Nullable Void> publishing = new FutureTask<>(() -> {
                publish(sink, change(2, "a"), change(3, "a"));
                return null;
            });
            Thread thread = Thread.ofVirtual().start(publishing);
            thread.join(Duration.ofMillis(500)); // which is enough for both, unless they wait
            PROXY.release();
            publishing.get();
        }
        PublishedOrder.check(
                List.of(change(1, "a"), change(2, "a"), change(3, "a")),
                TestBroker.topics().read(topic));
    }

    @Test
    void closing_ends_the_wait_for_requests_of_a_replaced_producer() throws Exception {
        String topic = TestBroker.topics().create("replaced-closed", 1);
        KafkaSink sink = sink(topic, Map.of());
        publish(sink, change(1, "a"));
        sink.producer().replace(sink.producer().get());
        assertThatThrownBy(() -> sink.producer().getNow()).hasMessageContaining("requests of it may still arrive");
        FutureTask<@Nullable Void> publishing = new FutureTask<>(() -> {
            sink.consume(new RecordingBatch(change(2, "a")));
            return null;
        });
        Thread.ofVirtual().start(publishing);
        sink.close();
        assertThatThrownBy(publishing::get).hasMessageContaining("is closed; nothing more is published");
    }

    /** The topic disappears when its first message is confirmed, so that the client blocks for the second one. */
    @Test
    void a_topic_that_disappears_delays_its_own_changes_alone() throws Exception {
        Duration timeout = Duration.ofSeconds(5);
        Topics topics = TestBroker.topics();
        topics.create("gone-Orders", 1);
        topics.create("gone-Payments", 1);
        List<DataChangeRecord> changes = new ArrayList<>(
                List.of(KafkaChanges.ofTable("Payments", 1, "n", "a"), KafkaChanges.ofTable("Payments", 2, "n", "a")));
        IntStream.rangeClosed(1, 5).forEach(second -> changes.add(change(second, "a")));
        RecordingBatch batch = new RecordingBatch(changes.toArray(DataChangeRecord[]::new));
        AtomicLong goneAt = new AtomicLong();
        try (KafkaSink sink = sink("gone-{table}", timeout, Map.of("metadata.max.age.ms", "100"))) {
            publish(sink, change(0, "b"));
            sink.consume(new Batch() {
                @Override
                public List<DataChangeRecord> changes() {
                    return batch.changes();
                }

                @Override
                public Delivery delivery(int index) {
                    return batch.delivery(index);
                }

                @Override
                public void settle(int index) {
                    batch.settle(index);
                    if (index == 0) {
                        remove(sink);
                        goneAt.set(System.currentTimeMillis());
                    }
                }

                @Override
                public void fail(int index, Throwable cause) {
                    batch.fail(index, cause);
                }

                private void remove(KafkaSink publishing) {
                    try {
                        topics.delete("gone-Payments");
                        assertThatThrownBy(() -> {
                                    while (true) {
                                        publishing.producer().getNow().partitionsFor("gone-Payments");
                                    }
                                })
                                .isInstanceOf(TimeoutException.class);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            });
        }
        assertThat(batch.failed()).containsOnlyKeys(1);
        assertThat(batch.failure(1)).hasMessageContaining("gone-Payments").hasMessageContaining("create it with");
        List<ConsumerRecord<byte[], byte[]>> orders = topics.read("gone-Orders");
        assertThat(KafkaChanges.labels(orders)).containsExactly("b0", "a1", "a2", "a3", "a4", "a5");
        assertThat(orders.getLast().timestamp() - goneAt.get())
                .as("milliseconds from the loss of the topic to the last message of the other one")
                .isLessThan(timeout.toMillis() / 2);
    }

    @Test
    void an_interrupt_ends_the_wait_and_is_told_by_the_exception_alone() throws Exception {
        String topic = TestBroker.topics().create("interrupted", 1);
        try (KafkaSink sink = sink(topic, Map.of())) {
            publish(sink, change(1, "a"));
            PROXY.hold();
            int heldBefore = PROXY.held();
            FutureTask<Boolean> publishing = new FutureTask<>(() -> {
                assertThatThrownBy(() -> sink.consume(new RecordingBatch(change(2, "a"))))
                        .isInstanceOf(InterruptedException.class);
                return Thread.currentThread().isInterrupted();
            });
            Thread thread = Thread.ofVirtual().start(publishing);
            while (PROXY.held() == heldBefore) {
                TimeUnit.MILLISECONDS.sleep(5); // until the message is on its way
            }
            thread.interrupt();
            assertThat(publishing.get()).as("the flag is set as well").isFalse();
        }
    }

    @Test
    void lost_answers_repeat_changes_in_order() throws Exception {
        String topic = TestBroker.topics().create("lost-answers", 1);
        List<DataChangeRecord> changes = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> change(i, i % 2 == 0 ? "a" : "b"))
                .toList();
        try (KafkaSink sink = sink(topic, Map.of("request.timeout.ms", "200"))) {
            publish(sink, changes.get(0), changes.get(1));
            PROXY.mute(true);
            RecordingBatch unanswered = new RecordingBatch(changes.subList(2, 6).toArray(DataChangeRecord[]::new));
            sink.consume(unanswered);
            assertThat(unanswered.settled()).isEmpty();
            assertThat(unanswered.failed()).hasSize(4);
            PROXY.mute(false);
            publish(sink, changes.subList(2, 12).toArray(DataChangeRecord[]::new));
        }
        PublishedOrder.check(changes, TestBroker.topics().read(topic));
    }

    @Test
    void a_cut_network_is_waited_for() throws Exception {
        String topic = TestBroker.topics().create("cut", 1);
        try (KafkaSink sink = sink(topic, Map.of())) {
            publish(sink, change(1, "a"));
            PROXY.cut(true);
            RecordingBatch lost = new RecordingBatch(change(2, "a"));
            sink.consume(lost);
            assertThat(lost.failure(0)).hasMessageContaining("check sink.kafka.bootstrap-servers");
            PROXY.cut(false);
            publish(sink, change(2, "a"));
        }
        assertThat(published(topic)).containsExactly("a1", "a2");
    }

    @Test
    void a_producer_that_gets_no_id_is_replaced_in_time() throws Exception {
        String topic = TestBroker.topics().create("no-id", 1);
        PROXY.failIds(Errors.COORDINATOR_LOAD_IN_PROGRESS); // the client asks again and again
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch lost = new RecordingBatch(change(1, "a"), change(2, "a"));
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> sink.consume(lost));
            assertThat(lost.failed()).containsOnlyKeys(0, 1);
            assertThat(lost.failure(0)).hasMessageContaining("no broker answers its request for a producer id");
            PROXY.failIds(Errors.NONE);
            publish(sink, change(1, "a"), change(2, "a"));
        }
        PublishedOrder.check(
                List.of(change(1, "a"), change(2, "a")), TestBroker.topics().read(topic));
    }

    @Test
    void a_producer_that_fails_for_good_for_a_reason_of_its_own_is_replaced() throws Exception {
        String topic = TestBroker.topics().create("broken-id", 1);
        PROXY.failIds(Errors.UNKNOWN_SERVER_ERROR);
        try (KafkaSink sink = sink(topic, Map.of())) {
            RecordingBatch lost = new RecordingBatch(change(1, "a"));
            sink.consume(lost);
            assertThat(lost.failed()).containsOnlyKeys(0);
            PROXY.failIds(Errors.NONE);
            RecordingBatch told = new RecordingBatch(change(1, "a")); // by what the producer throws from then on
            sink.consume(told);
            publish(sink, change(1, "a"), change(2, "a"));
        }
        PublishedOrder.check(
                List.of(change(1, "a"), change(2, "a")), TestBroker.topics().read(topic));
    }

    @Test
    void a_missing_topic_does_not_delay_other_topics_and_is_waited_for_once() throws Exception {
        TestBroker.topics().create("there-Orders", 1);
        try (KafkaSink sink = sink("there-{table}", Map.of())) {
            RecordingBatch batch = new RecordingBatch(
                    KafkaChanges.ofTable("Orders", 1, "n", "a"),
                    KafkaChanges.ofTable("Missing", 2, "n", "a"),
                    KafkaChanges.ofTable("Missing", 3, "n", "b"),
                    KafkaChanges.ofTable("Missing", 4, "n", "c"),
                    KafkaChanges.ofTable("Missing", 5, "n", "d"),
                    KafkaChanges.ofTable("Missing", 6, "n", "e"),
                    KafkaChanges.ofTable("Orders", 7, "n", "a"));
            long started = System.nanoTime();
            sink.consume(batch);
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(TIMEOUT.multipliedBy(2));
            assertThat(batch.settled()).containsExactly(0);
            assertThat(batch.failed()).containsOnlyKeys(1, 2, 3, 4, 5);
            assertThat(batch.failure(5)).hasMessageContaining("create it with");
        }
        List<ConsumerRecord<byte[], byte[]>> orders = TestBroker.topics().read("there-Orders");
        assertThat(KafkaChanges.labels(orders)).containsExactly("a1", "a7");
        assertThat(orders.getLast().timestamp() - orders.getFirst().timestamp())
                .as("milliseconds between the first message and that after the missing topic's")
                .isLessThan(TIMEOUT.toMillis() / 2);
    }
}
