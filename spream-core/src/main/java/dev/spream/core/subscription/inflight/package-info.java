/**
 * The changes of a partition that are in flight: the {@linkplain
 * dev.spream.core.subscription.inflight.InflightTracker tracker} with the safe watermark, the lanes that keep the
 * order of each key, and the budget of all partitions together. Internal to the subscription's engine.
 */
@NullMarked
package dev.spream.core.subscription.inflight;

import org.jspecify.annotations.NullMarked;
