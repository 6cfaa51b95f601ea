package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A message of a row. Its partition depends on the topic at the time of sending.
 *
 * <p>It has no timestamp of its own and so gets the time of sending, by which Kafka's retention counts: with its commit
 * timestamp, an old change could be deleted before it is read.
 *
 * @param value null for a tombstone
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Message(String topic, byte[] key, byte @Nullable [] value, Headers headers) {

    /** Returns the text that is equal for messages whose order is kept; the bytes of a key need not be text. */
    String lane() {
        return topic + "/" + new String(key, ISO_8859_1);
    }

    /** Returns the size of its contents in bytes, to which Kafka adds some. */
    int bytes() {
        int bytes = key.length + (value == null ? 0 : value.length);
        for (Header header : headers) {
            bytes += header.key().length() + header.value().length;
        }
        return bytes;
    }

    ProducerRecord<byte[], byte[]> in(int partition) {
        return new ProducerRecord<>(topic, partition, key, value, headers);
    }
}
