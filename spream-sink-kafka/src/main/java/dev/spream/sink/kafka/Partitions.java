package dev.spream.sink.kafka;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InvalidPartitionsException;
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
    private final String key;
    private final Map<String, Integer> counts = new ConcurrentHashMap<>(); // as last seen, by topic

    /**
     * @param configured the configured number, for all topics
     * @param key the name of its key in the configuration, for messages
     */
    Partitions(OptionalInt configured, String key) {
        this.configured = configured;
        this.key = key;
    }

    /**
     * @throws InvalidPartitionsException if the topic has fewer partitions than configured: the client would wait for the
     *     others
     * @throws org.apache.kafka.common.KafkaException if the topic's partitions are not known in time
     */
    int of(Producer<?, ?> producer, String topic, byte[] messageKey) {
        int existing = producer.partitionsFor(topic).size();
        int count = configured.isPresent() ? configured.getAsInt() : seen(topic, existing);
        if (count > existing) {
            throw new InvalidPartitionsException(tooFew(topic, existing));
        }
        return Utils.toPositive(Utils.murmur2(messageKey)) % count;
    }

    /** Returns what is wrong with that number of partitions; empty if nothing is. */
    Optional<String> problem(String topic, int existing) {
        return configured.isPresent() && configured.getAsInt() > existing
                ? Optional.of(tooFew(topic, existing))
                : Optional.empty();
    }

    private String tooFew(String topic, int existing) {
        return "topic %s has %d partitions, fewer than %s=%d: add partitions, or configure %d"
                .formatted(topic, existing, key, configured.orElseThrow(), existing);
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
