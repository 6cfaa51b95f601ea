/** Tests of what is read and not settled: the tracker, the lanes and the budget. */
@NullMarked
package dev.spream.core.subscription.inflight;

import org.jspecify.annotations.NullMarked;
