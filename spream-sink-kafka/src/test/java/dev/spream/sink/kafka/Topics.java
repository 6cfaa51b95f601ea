package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The topics of a broker, as another client sees them.
 *
 * @param properties how to connect
 */
record Topics(Map<String, Object> properties) {
    Topics(String address) {
        this(Map.of("bootstrap.servers", address));
    }

    String create(String topic, int partitions) throws Exception {
        return create(topic, partitions, Map.of());
    }

    String create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(properties)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
            while (!isReady(admin, topic)) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        return topic;
    }

    /** Returns whether the broker, which learns of a topic after the controller, knows it with its leaders. */
    private static boolean isReady(Admin admin, String topic) throws Exception {
        try {
            return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
                    .flatMap(description -> description.partitions().stream())
                    .noneMatch(partition ->
                            partition.leader() == null || partition.leader().isEmpty());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    void delete(String topic) throws Exception {
        try (Admin admin = Admin.create(properties)) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    void configure(String topic, String name, String value) throws Exception {
        try (Admin admin = Admin.create(properties)) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    void grow(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(properties)) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
                    .all()
                    .get();
        }
    }

    /** Returns the number of messages, with those of transactions that were aborted. */
    long count(String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            return consumer.endOffsets(partitions).values().stream()
                    .mapToLong(offset -> offset)
                    .sum();
        }
    }

    /** Returns all messages that a consumer of committed ones gets now, those of each partition in order. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return read(topic, "read_committed");
    }

    List<ConsumerRecord<byte[], byte[]>> read(String topic, String isolation) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put("isolation.level", isolation);
        all.put("auto.offset.reset", "earliest");
        List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < requireNonNull(ends.get(partition)))) {
                consumer.poll(Duration.ofMillis(100)).forEach(messages::add);
            }
        }
        return messages;
    }

    /** Returns another client's producer, with Kafka's own choice of partitions. */
    KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static String header(ConsumerRecord<byte[], byte[]> message, String name) {
        return new String(message.headers().lastHeader(name).value(), UTF_8);
    }
}
