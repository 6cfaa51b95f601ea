/**
 * Delivery: the mirror in PostgreSQL compared with plain upserts, the replay of dead letters, and the Kafka sink compared
 * with Kafka's producer. Read {@link dev.spream.benchmarks.delivery.MirrorRate} first.
 */
@NullMarked
package dev.spream.benchmarks.delivery;

import org.jspecify.annotations.NullMarked;
