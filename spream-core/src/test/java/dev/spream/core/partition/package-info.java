/**
 * The contract that every {@link dev.spream.core.partition.PartitionStorage} keeps, and the tests of the lineage.
 * Authors of a storage extend {@link dev.spream.core.partition.PartitionStorageContract} and provide a {@link
 * dev.spream.core.partition.PartitionStorageFixture}; if another session can lock a row of it, they extend {@link
 * dev.spream.core.partition.RowLockContract} as well. The contract has tests of its own: it must fail for storages that
 * forget.
 */
@NullMarked
package dev.spream.core.partition;

import org.jspecify.annotations.NullMarked;
