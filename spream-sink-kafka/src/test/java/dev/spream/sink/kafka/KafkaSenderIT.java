package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.testkit.outbox.OutboxSenderContract;
import dev.spream.testkit.outbox.OutboxSenderFixture;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of publishing entries, and of the outcome of an attempt for each answer of a broker. */
@Timeout(120)
final class KafkaSenderIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String PAYLOAD = "{\"buy\": \"s3cr3t\"}";
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static final BrokerProxy PROXY = TestBroker.proxy();

    private static Topics topics() {
        return TestBroker.topics();
    }

    private static String newTopic() throws Exception {
        return topics().create("outbox-" + TOPICS.incrementAndGet(), 3);
    }

    private static KafkaSender sender(String topic, Map<String, String> more) throws Exception {
        Map<String, String> values = new HashMap<>(Map.of("topic", topic, "bootstrap-servers", PROXY.address()));
        values.putAll(more);
        KafkaSenderProvider provider = new KafkaSenderProvider();
        return (KafkaSender) provider.create(TestConfig.of(provider, values), TestConfig.CONTEXT);
    }

    private static OutboxEntry entry(String key, String payload) {
        return new OutboxEntry(
                7,
                key,
                2,
                OutboxMessage.digest(payload),
                payload,
                Optional.of("order-placed"),
                "mail",
                Optional.of("account-1"),
                Optional.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
                Instant.parse("2026-01-01T00:00:00.000001Z"),
                Optional.empty());
    }

    /** A topic behind the proxy, for one test. */
    private static final class Fixture implements OutboxSenderFixture {
        private final String topic;
        private final KafkaSender sender;

        Fixture() throws Exception {
            topic = newTopic();
            sender = KafkaSenderIT.sender(topic, Map.of());
            sender.send(entry("warm-up", "{}"), LONG); // so that the client knows the topic
        }

        @Override
        public OutboxSender sender() {
            return sender;
        }

        @Override
        public void receiver(Receiver behaviour) {
            PROXY.mute(behaviour == Receiver.HANGS);
            PROXY.cut(behaviour == Receiver.UNREACHABLE);
            if (behaviour == Receiver.REFUSES) {
                refuse();
            }
        }

        /** Returns when the broker refuses messages of any size. */
        private void refuse() {
            try (KafkaProducer<byte[], byte[]> other = topics().producer()) {
                topics().configure(topic, "max.message.bytes", "1");
                while (true) {
                    for (int partition = 0; partition < 3; partition++) {
                        other.send(new ProducerRecord<>(topic, partition, null, new byte[0]))
                                .get();
                    }
                }
            } catch (ExecutionException refused) {
                return;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public List<String> received() {
            return topics().read(topic).stream()
                    .filter(message -> message.headers().lastHeader("idempotency-key") != null)
                    .map(message ->
                            Topics.header(message, "idempotency-key") + " " + Topics.header(message, "generation"))
                    .filter(name -> !name.startsWith("warm-up"))
                    .toList();
        }

        @Override
        public void close() {
            receiver(Receiver.UNREACHABLE); // so that the client does not wait for answers that were dropped
            receiver(Receiver.ACCEPTS);
            sender.close();
        }
    }

    @Nested
    final class Contract extends OutboxSenderContract {
        @Override
        protected OutboxSenderFixture createFixture() throws Exception {
            return new Fixture();
        }
    }

    @Test
    void it_is_found_by_name_and_its_defaults_hold() throws Exception {
        assertThat(ServiceLoader.load(OutboxSenderProvider.class).stream()
                        .map(provider -> provider.get().name()))
                .contains("kafka");
        String topic = newTopic();
        try (KafkaSender sender = sender(topic, Map.of())) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.IDEMPOTENT);
            assertThat(sender.name()).isEqualTo("kafka");
            assertThat(sender).hasToString("kafka to " + topic);
        }
        try (KafkaSender sender = sender(topic, Map.of("guarantee", "neither"))) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.NEITHER);
        }
    }

    @Test
    void a_topic_that_is_not_there_ends_the_start_with_the_senders_own_keys() {
        assertThatThrownBy(() -> sender("nowhere", Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--create --topic nowhere")
                .hasMessageContaining("sender.kafka.check-topic=false");
    }

    @Test
    void an_entry_is_a_message_with_what_names_it_in_headers() throws Exception {
        String topic = newTopic();
        try (KafkaSender sender = sender(topic, Map.of())) {
            SendOutcome outcome = sender.send(entry("order-17", PAYLOAD), LONG);
            ConsumerRecord<byte[], byte[]> message = topics().read(topic).getFirst();
            assertThat(outcome)
                    .isEqualTo(new SendOutcome.Succeeded(LedgerResult.succeeded(
                            Json.text(Map.of("topic", topic, "partition", message.partition(), "offset", 0L)))));
            assertThat(new String(message.value(), UTF_8)).isEqualTo(PAYLOAD);
            assertThat(new String(message.key(), UTF_8)).isEqualTo("account-1");
            assertThat(Topics.header(message, "idempotency-key")).isEqualTo("order-17");
            assertThat(Topics.header(message, "generation")).isEqualTo("2");
            assertThat(Topics.header(message, "entry-id")).isEqualTo("7");
            assertThat(Topics.header(message, "created-at")).isEqualTo("2026-01-01T00:00:00.000001Z");
            assertThat(Topics.header(message, "payload-type")).isEqualTo("order-placed");
            assertThat(Topics.header(message, "destination")).isEqualTo("mail");
            assertThat(Topics.header(message, "traceparent")).startsWith("00-4bf92f");
        }
        try (KafkaSender sender = sender(topic, Map.of("ordering", "false"))) {
            sender.send(entry("order-18", PAYLOAD), LONG);
        }
        assertThat(topics().read(topic)).anyMatch(message -> message.key() == null);
    }

    @Test
    void a_message_that_did_not_leave_is_retryable_and_one_that_is_too_large_fails_for_good() throws Exception {
        try (KafkaSender sender = sender("missing", Map.of("check-topic", "false", "publish-timeout", "1s"))) {
            assertThat(sender.send(entry("k", PAYLOAD), LONG))
                    .isInstanceOfSatisfying(SendOutcome.Retryable.class, outcome -> {
                        assertThat(outcome.reason()).isEqualTo(ReasonCode.UNAVAILABLE);
                        assertThat(outcome.message())
                                .contains("--create --topic missing")
                                .endsWith("; nothing left");
                    });
        }
        try (KafkaSender sender = sender(newTopic(), Map.of())) {
            assertThat(sender.send(entry("k", "x".repeat(2_000_000)), LONG))
                    .isInstanceOfSatisfying(SendOutcome.Permanent.class, outcome -> {
                        assertThat(outcome.reason()).isEqualTo(ReasonCode.INVALID_REQUEST);
                        assertThat(outcome.message()).contains("1048576").doesNotContain("xxx");
                    });
        }
    }

    @Test
    void a_message_without_an_answer_may_have_been_published_and_its_repetition_comes_after_it() throws Exception {
        String topic = newTopic();
        try (KafkaSender sender = sender(topic, Map.of("publish-timeout", "1s"))) {
            assertThat(sender.send(entry("first", PAYLOAD), LONG)).isInstanceOf(SendOutcome.Succeeded.class);
            PROXY.hold();
            assertThat(sender.send(entry("second", PAYLOAD), LONG))
                    .isInstanceOfSatisfying(SendOutcome.Unknown.class, outcome -> {
                        assertThat(outcome.reason()).isEqualTo(ReasonCode.TIMEOUT);
                        assertThat(outcome.message()).endsWith("; it may have been published, or still be");
                    });
            PROXY.pass();
            SendOutcome again = sender.send(entry("second", PAYLOAD), LONG);
            while (!(again instanceof SendOutcome.Succeeded)) {
                again = sender.send(entry("second", PAYLOAD), LONG);
            }
            assertThat(sender.send(entry("third", PAYLOAD), LONG)).isInstanceOf(SendOutcome.Succeeded.class);
            PROXY.release();
        }
        assertThat(topics().read(topic).stream().map(message -> Topics.header(message, "idempotency-key")))
                .containsExactly("first", "second", "third");
    }

    @Test
    void an_interrupt_before_the_client_took_the_message_is_retryable() throws Exception {
        try (KafkaSender sender = sender("absent", Map.of("check-topic", "false", "guarantee", "neither"))) {
            Thread.currentThread().interrupt();
            SendOutcome outcome = sender.send(entry("k", PAYLOAD), LONG);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            SendOutcome.Retryable.class,
                            retryable -> assertThat(retryable.message()).endsWith("; nothing left"));
        }
    }

    @Test
    void a_request_whose_answer_is_lost_is_repeated_in_time_and_gives_no_second_message() throws Exception {
        String topic = newTopic();
        try (KafkaSender sender = sender(topic, Map.of("publish-timeout", "6s"))) {
            assertThat(sender.send(entry("first", PAYLOAD), LONG)).isInstanceOf(SendOutcome.Succeeded.class);
            PROXY.mute(true);
            FutureTask<SendOutcome> sending = new FutureTask<>(() -> sender.send(entry("second", PAYLOAD), LONG));
            Thread.ofVirtual().start(sending);
            while (topics().count(topic) < 2) {
                assertThat(sending.isDone()).isFalse();
            }
            PROXY.mute(false);
            assertThat(sending.get()).isInstanceOf(SendOutcome.Succeeded.class);
        } finally {
            PROXY.mute(false);
        }
        assertThat(topics().count(topic)).isEqualTo(2);
    }

    @Test
    void after_it_was_closed_nothing_leaves() throws Exception {
        String topic = newTopic();
        KafkaSender sender = sender(topic, Map.of());
        sender.close();
        assertThat(sender.send(entry("k", PAYLOAD), LONG)).isInstanceOf(SendOutcome.Retryable.class);
        assertThat(topics().read(topic)).isEmpty();
    }
}
