/**
 * A Kafka broker for tests and benchmarks: {@link dev.spream.kafka.KafkaBroker} runs it in a process of its own, which
 * can be killed, stopped and started again on the same data. Its class path is that of this module, so a program that
 * uses it has none of the broker's libraries.
 */
@NullMarked
package dev.spream.kafka;

import org.jspecify.annotations.NullMarked;
