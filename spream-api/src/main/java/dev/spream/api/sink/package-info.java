/**
 * The sinks that come with spream and need nothing but the JDK: {@code stdout}, {@code log}, {@code jsonl} and {@code
 * webhook}, and dead letters in a file. Each is a provider that says how it is configured, beside a {@link
 * dev.spream.core.consume.Consumer} that does the work; sinks of others are made in the same way. Read {@link
 * dev.spream.api.sink.StdoutSinkProvider} first, which is the shortest.
 */
@NullMarked
package dev.spream.api.sink;

import org.jspecify.annotations.NullMarked;
