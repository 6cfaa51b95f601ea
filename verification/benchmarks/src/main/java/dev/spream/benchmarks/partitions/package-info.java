/**
 * The life of partitions: claims, hand-overs, take-overs, rebalancing, calls to the storage, and what idle ones cost. Read {@link
 * dev.spream.benchmarks.partitions.HandOver} first.
 */
@NullMarked
package dev.spream.benchmarks.partitions;

import org.jspecify.annotations.NullMarked;
