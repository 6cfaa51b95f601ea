/**
 * A source of Apache Flink that reads the changes of a change stream, with a split for each partition. The enumerator
 * keeps the lineage and decides when a partition may be read; readers read partitions; their state is Flink's
 * checkpoint. Read {@link dev.spream.flink.PartitionSplit} first.
 *
 * <p>A change is settled here when a completed checkpoint covers it: it was processed downstream, and does not come
 * again.
 */
@NullMarked
package dev.spream.flink;

import org.jspecify.annotations.NullMarked;
