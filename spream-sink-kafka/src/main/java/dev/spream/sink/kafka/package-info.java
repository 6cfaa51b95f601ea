/**
 * The sink {@code kafka}: each changed row as a message of a topic of Apache Kafka, and the sender {@code kafka} of an
 * outbox. Read {@link dev.spream.sink.kafka.KafkaSinkProvider} first, which documents the messages and the configuration.
 * The sink keeps the order of each key itself, with one message of a key in flight; the producer repeats requests. No
 * other package depends on Kafka's client; this one depends on the ports and the SPI of spream alone.
 */
@NullMarked
package dev.spream.sink.kafka;

import org.jspecify.annotations.NullMarked;
