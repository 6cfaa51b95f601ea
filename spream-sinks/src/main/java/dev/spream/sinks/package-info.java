/**
 * Sinks that need nothing but the JDK: {@code stdout}, {@code log} and {@code jsonl}, and dead letters in a file. Each is a
 * provider that says how it is configured, beside a {@link dev.spream.core.consume.Consumer} that does the work; sinks of
 * others are made in the same way. Read {@link dev.spream.sinks.StdoutSinkProvider} first, which is the shortest.
 */
@NullMarked
package dev.spream.sinks;

import org.jspecify.annotations.NullMarked;
