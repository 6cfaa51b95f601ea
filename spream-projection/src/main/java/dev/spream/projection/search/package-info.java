/**
 * Search indexes that follow events. {@link dev.spream.projection.search.SearchProjection} turns events into documents and
 * counts an event as done only when the engine has said that its documents are in the index; {@link
 * dev.spream.projection.search.SearchEngine} and {@link dev.spream.projection.search.SearchIndex} are what it needs of an
 * engine.
 *
 * <p>Uses projections, and no engine.
 */
@NullMarked
package dev.spream.projection.search;

import org.jspecify.annotations.NullMarked;
