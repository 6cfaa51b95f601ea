/**
 * Ownership of partitions: what has become of one that this worker {@linkplain
 * dev.spream.core.subscription.lease.HeldPartition holds}, and how all are shared among the workers that are alive. Of the
 * subscription's engine; not for users.
 */
@NullMarked
package dev.spream.core.subscription.lease;

import org.jspecify.annotations.NullMarked;
