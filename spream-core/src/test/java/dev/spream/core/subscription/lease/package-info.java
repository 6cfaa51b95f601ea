/** Tests of held partitions and of how all are shared. */
@NullMarked
package dev.spream.core.subscription.lease;

import org.jspecify.annotations.NullMarked;
