/**
 * The stored state of a subscription: its partitions, their owners and their progress. {@link
 * dev.spream.core.partition.PartitionStorage} is the port that adapters implement; {@link
 * dev.spream.core.partition.Lineage} decides when a partition may be read, for every adapter alike. This package
 * neither reads streams nor depends on a database.
 */
@NullMarked
package dev.spream.core.partition;

import org.jspecify.annotations.NullMarked;
