/**
 * The changes of a partition that were read and are not settled: the {@linkplain
 * dev.spream.core.subscription.inflight.InflightTracker tracker} with the safe watermark, the lanes that keep the order of
 * each key, and the budget of all partitions together. Of the subscription's engine; not for users.
 */
@NullMarked
package dev.spream.core.subscription.inflight;

import org.jspecify.annotations.NullMarked;
