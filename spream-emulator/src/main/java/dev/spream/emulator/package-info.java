/**
 * An in-process Cloud Spanner server for demos and tests, with change streams whose partitions split, merge and move. Real
 * clients in any language connect to it as they do to Google's emulator. Start with {@link
 * dev.spream.emulator.SpannerEmulator}; what a test controls in it is in {@link dev.spream.emulator.control}. Everything under
 * {@code internal} is not for users and may change at any time.
 */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;
