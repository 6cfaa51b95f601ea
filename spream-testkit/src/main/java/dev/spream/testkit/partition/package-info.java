/**
 * The contract that every {@link dev.spream.core.partition.PartitionStorage} keeps. Extend {@link
 * dev.spream.testkit.partition.PartitionStorageContract} and provide a {@link
 * dev.spream.testkit.partition.PartitionStorageFixture}; if another session can lock a row of the storage, extend {@link
 * dev.spream.testkit.partition.RowLockContract} as well.
 */
@NullMarked
package dev.spream.testkit.partition;

import org.jspecify.annotations.NullMarked;
