/**
 * Delivery into PostgreSQL: the mirror compared with plain upserts, and the replay of dead letters. Read {@link
 * dev.spream.benchmarks.delivery.MirrorRate} first.
 */
@NullMarked
package dev.spream.benchmarks.delivery;

import org.jspecify.annotations.NullMarked;
