/**
 * Events as event sourcing has them: what happened to an aggregate, numbered from 1 within it and never changed. {@link
 * dev.spream.projection.event.EventStore} keeps them, {@link dev.spream.projection.event.EventSource} delivers them to
 * projections, from a store, a change stream or a broker.
 */
@NullMarked
package dev.spream.projection.event;

import org.jspecify.annotations.NullMarked;
