/**
 * Ownership of partitions: what has become of one that this worker {@linkplain
 * dev.spream.core.subscription.lease.HeldPartition holds}, and how all are shared among the workers that are alive. Of the
 * subscription's engine; not for users.
 *
 * <p>This is the holder's side: whether a lease still lasts is judged by the worker's own clock ({@link
 * dev.spream.core.internal.LocalLease}). Whether its epoch is the present one is checked in the storage, with every write.
 */
@NullMarked
package dev.spream.core.subscription.lease;

import org.jspecify.annotations.NullMarked;
