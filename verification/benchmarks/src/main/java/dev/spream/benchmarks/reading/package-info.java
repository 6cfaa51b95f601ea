/**
 * The rate of reading: the tracker, the source, the subscriber and the emulator compared with plain loops over the
 * client. Read {@link dev.spream.benchmarks.reading.EndToEnd} first.
 */
@NullMarked
package dev.spream.benchmarks.reading;

import org.jspecify.annotations.NullMarked;
