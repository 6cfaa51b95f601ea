/**
 * The controls of a running emulator, for tests and demos: changes of its partitions, faults of its streams, and its time.
 * Values and ports without implementation, which {@link dev.spream.emulator.SpannerEmulator} takes and hands out; nothing
 * here depends on the emulator. Read {@link dev.spream.emulator.control.PartitionControl} first.
 */
@NullMarked
package dev.spream.emulator.control;

import org.jspecify.annotations.NullMarked;
