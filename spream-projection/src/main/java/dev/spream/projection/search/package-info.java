/**
 * Search indexes that follow events. {@link dev.spream.projection.search.SearchProjection} turns events into documents,
 * and an event counts as processed only when the engine has confirmed that its documents are in the index; {@link
 * dev.spream.projection.search.SearchEngine} and {@link dev.spream.projection.search.SearchIndex} are the ports to an
 * engine.
 *
 * <p>Depends on projections, and on no engine.
 */
@NullMarked
package dev.spream.projection.search;

import org.jspecify.annotations.NullMarked;
