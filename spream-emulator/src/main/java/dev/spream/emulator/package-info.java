/**
 * An in-process Cloud Spanner server for demos and tests, with change streams whose partitions split, merge and move.
 * Real clients in any language connect to it as they do to Google's emulator. Start with {@link
 * dev.spream.emulator.SpannerEmulator}; the controls for tests are in {@link dev.spream.emulator.control}. Everything
 * under {@code internal} is not part of the API and may change at any time.
 */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;
