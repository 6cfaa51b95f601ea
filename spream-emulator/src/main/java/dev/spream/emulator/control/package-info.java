/**
 * What tests and demos control in a running emulator: how its partitions change, what goes wrong with its streams, and the time
 * that passes. Values and ports without implementation, which {@link dev.spream.emulator.SpannerEmulator} takes and hands out;
 * nothing here depends on the emulator. Read {@link dev.spream.emulator.control.PartitionControl} first.
 */
@NullMarked
package dev.spream.emulator.control;

import org.jspecify.annotations.NullMarked;
