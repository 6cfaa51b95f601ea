/**
 * The whole transactions of a subscription: the {@linkplain
 * dev.spream.core.subscription.transaction.TransactionAssembler assembler} that collects them over all partitions, and the
 * {@linkplain dev.spream.core.subscription.transaction.ChangeBuffer buffer} for those that do not fit into memory, which is
 * all that programs use of it.
 */
@NullMarked
package dev.spream.core.subscription.transaction;

import org.jspecify.annotations.NullMarked;
