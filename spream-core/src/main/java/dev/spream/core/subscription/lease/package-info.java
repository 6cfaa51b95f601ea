/**
 * Ownership of partitions: the state of one that this worker {@linkplain
 * dev.spream.core.subscription.lease.HeldPartition holds}, and the division of all among the live workers. Internal
 * to the subscription's engine.
 *
 * <p>This is the holder's side: whether a lease is still valid is decided by the worker's own clock ({@link
 * dev.spream.core.internal.LocalLease}). Whether its epoch is the present one is checked in the storage, with every
 * write.
 */
@NullMarked
package dev.spream.core.subscription.lease;

import org.jspecify.annotations.NullMarked;
