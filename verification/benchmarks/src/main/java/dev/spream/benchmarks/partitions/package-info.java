/**
 * The lifecycle of partitions: claims, hand-overs, take-overs, rebalancing, calls to the storage, and the cost of idle
 * ones. Read {@link dev.spream.benchmarks.partitions.HandOver} first.
 */
@NullMarked
package dev.spream.benchmarks.partitions;

import org.jspecify.annotations.NullMarked;
