/**
 * The engine: reads the partitions of a change stream as they split and merge, hands changes to a consumer and stores
 * its progress. Read {@link dev.spream.core.subscription.Subscriber} first, then the package-private parts it is made
 * of: {@code SubscriptionRun} starts and ends them, {@code PartitionReader} reads, {@code RecordDispatcher} delivers,
 * {@code PartitionScheduler} claims. The packages below are parts that stand by themselves. Depends on the ports of its
 * sibling packages, and on no implementation of them.
 */
@NullMarked
package dev.spream.core.subscription;

import org.jspecify.annotations.NullMarked;
