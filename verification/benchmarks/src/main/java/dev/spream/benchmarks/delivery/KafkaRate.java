package dev.spream.benchmarks.delivery;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.kafka.KafkaBroker;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that publishes to a broker in another process, compared with Kafka's producer alone that sends the same
 * keys, values and headers, ready in memory and in no order but its own.
 */
public final class KafkaRate {
    private static final int ROWS = Integer.getInteger("rows", 100_000);
    private static final int PARTITIONS = Integer.getInteger("partitions", 4);
    private static final int IN_FLIGHT = Integer.getInteger("inflight", 1_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int MANY_KEYS = 10_000;
    private static final int HOT_KEYS = 50;
    private static final String TOPIC = "orders";

    private KafkaRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (KafkaBroker broker = KafkaBroker.start(Files.createTempDirectory("kafka"))) {
            Map<String, Object> client = Map.of("bootstrap.servers", broker.address());
            try (Admin admin = Admin.create(client)) {
                for (int keys : List.of(MANY_KEYS, HOT_KEYS)) {
                    admin.createTopics(List.of(new NewTopic(TOPIC + keys, PARTITIONS, (short) 1)))
                            .all()
                            .get();
                    compare(client, broker.address(), keys);
                }
            }
        }
    }

    private static void compare(Map<String, Object> client, String address, int keysOfPartition) throws Exception {
        String topic = TOPIC + keysOfPartition;
        OrdersSource source = new OrdersSource(ROWS, PARTITIONS, keysOfPartition);
        publish(source, address, topic, Map.of());
        List<ProducerRecord<byte[], byte[]>> messages = read(client, topic);
        new Comparison(
                        "publish to Kafka, partitions: %d, keys of each: %d, in flight: %d"
                                .formatted(PARTITIONS, keysOfPartition, IN_FLIGHT),
                        ROWS)
                .add("Kafka's producer alone", () -> send(client, messages))
                .add("spream's sink", () -> publish(source, address, topic, Map.of()))
                .add("in transactions", () -> publish(source, address, topic, Map.of("transactional-id", topic)))
                .run(WARM_UPS, TURNS);
    }

    /** With acknowledgements by all replicas and idempotence, as the sink has it. */
    private static long send(Map<String, Object> client, List<ProducerRecord<byte[], byte[]>> messages)
            throws ExecutionException {
        Map<String, Object> properties = new HashMap<>(client);
        properties.put("acks", "all");
        properties.put("enable.idempotence", true);
        AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            messages.forEach(message -> {
                var unused = producer.send(message, (place, failure) -> failed.compareAndSet(null, failure));
            });
            producer.flush();
        }
        if (failed.get() != null) {
            throw new ExecutionException(failed.get());
        }
        return messages.size();
    }

    private static long publish(OrdersSource source, String address, String topic, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sink",
                "kafka",
                "sink.kafka.bootstrap-servers",
                address,
                "sink.kafka.topic",
                topic,
                "max-inflight",
                Integer.toString(IN_FLIGHT),
                "start",
                OrdersSource.START.toString(),
                "end",
                OrdersSource.END.toString()));
        more.forEach((name, value) -> settings.put("sink.kafka." + name, value));
        try (Spream spream = Spream.builder(SpreamConfig.of(settings))
                .source(source)
                .storage(new InMemoryPartitionStorage())
                .build()) {
            CompletionReason result = spream.run();
            if (result != CompletionReason.COMPLETED) {
                throw new IllegalStateException("the subscription ended as " + result);
            }
        }
        return ROWS;
    }

    /** Returns what is on the topic as messages to send again. */
    private static List<ProducerRecord<byte[], byte[]>> read(Map<String, Object> client, String topic) {
        List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>(ROWS);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (messages.size() < ROWS) {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofSeconds(1))) {
                    messages.add(new ProducerRecord<>(topic, null, message.key(), message.value(), message.headers()));
                }
            }
        }
        return messages;
    }
}
