/**
 * The port to a Spanner change stream, the source of change records. Read {@link
 * dev.spream.core.source.ChangeStreamSource} first. Retries and progress are left to the engine.
 */
@NullMarked
package dev.spream.core.source;

import org.jspecify.annotations.NullMarked;
