/**
 * Where change records come from: the port to a Spanner change stream. Read {@link
 * dev.spream.core.source.ChangeStreamSource} first. Nothing here retries or remembers; that is the engine's part.
 */
@NullMarked
package dev.spream.core.source;

import org.jspecify.annotations.NullMarked;
