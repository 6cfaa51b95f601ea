/**
 * The port to a Spanner change stream, the source of change records. Read {@link
 * dev.spream.core.source.ChangeStreamSource} first. Nothing here retries or remembers; the engine does.
 */
@NullMarked
package dev.spream.core.source;

import org.jspecify.annotations.NullMarked;
