/**
 * Sinks that need nothing but the JDK: {@code stdout}, {@code log}, {@code jsonl} and {@code files}, and dead letters in a file. Each
 * consists of a provider, which declares the configuration, and a {@link dev.spream.core.consume.Consumer}, which does
 * the work; other sinks are written in the same way. Read {@link dev.spream.sinks.StdoutSinkProvider} first, which is
 * the shortest.
 */
@NullMarked
package dev.spream.sinks;

import org.jspecify.annotations.NullMarked;
