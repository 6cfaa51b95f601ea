/**
 * An in-process Cloud Spanner server for demos and tests, with change streams whose partitions split, merge and move. Real
 * clients in any language connect to it as they do to Google's emulator. Start with {@link
 * dev.spream.emulator.SpannerEmulator}, split and merge partitions with {@link dev.spream.emulator.PartitionControl}, break
 * streams with {@link dev.spream.emulator.FaultControl}, drive the time with {@link dev.spream.emulator.DrivenClock}; everything under {@code internal} may change at any time.
 */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;
