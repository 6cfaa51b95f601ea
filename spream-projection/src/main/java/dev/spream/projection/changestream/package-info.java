/**
 * Events that are rows of a table in Spanner, delivered by a change stream of that table: {@link
 * dev.spream.projection.changestream.ChangeStreamEventSource}, and {@link
 * dev.spream.projection.changestream.EventTableMapping}, which describes the table. It reads with the engine
 * of {@code dev.spream.core.subscription}, one subscription a projection.
 */
@NullMarked
package dev.spream.projection.changestream;

import org.jspecify.annotations.NullMarked;
