/** Tests of whole transactions, put together from several partitions. */
@NullMarked
package dev.spream.core.subscription.transaction;

import org.jspecify.annotations.NullMarked;
