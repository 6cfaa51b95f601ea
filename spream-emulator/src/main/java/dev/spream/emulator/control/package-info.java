/**
 * The controls of a running emulator, for tests and demos: changes of its partitions, faults of its streams, and its
 * time. Contains values and ports without implementation, which {@link dev.spream.emulator.SpannerEmulator} accepts and
 * returns, and does not depend on the emulator. Read {@link dev.spream.emulator.control.PartitionControl} first.
 */
@NullMarked
package dev.spream.emulator.control;

import org.jspecify.annotations.NullMarked;
