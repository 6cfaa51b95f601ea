package dev.spream.sink.kafka;

import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partition of each key: the one that Kafka's own clients choose among that many partitions. Safe for use by many
 * threads.
 *
 * <p>When a topic gets more partitions, most keys move to another one. A message is sent when the one before it of its
 * key is confirmed, so it is the later one in time; but consumers read partitions independently. With a configured
 * number, keys stay in their partitions whatever the topic gets.
 */
final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);

    private final OptionalInt configured;
    private final Map<String, Integer> counts = new ConcurrentHashMap<>(); // as last seen, by topic

    Partitions(OptionalInt configured) {
        this.configured = configured;
    }

    /** @throws org.apache.kafka.common.KafkaException if the topic's partitions are not known in time */
    int of(Producer<?, ?> producer, String topic, byte[] key) {
        int count = configured.isPresent()
                ? configured.getAsInt()
                : seen(topic, producer.partitionsFor(topic).size());
        return Utils.toPositive(Utils.murmur2(key)) % count;
    }

    private int seen(String topic, int count) {
        Integer before = counts.put(topic, count);
        if (before != null && before != count) {
            log.warn(
                    "topic {} has {} partitions now, {} before: messages of the same key are in different partitions, which consumers read independently; configure partitions={} to leave keys where they were",
                    topic,
                    count,
                    before,
                    before);
        }
        return count;
    }
}
