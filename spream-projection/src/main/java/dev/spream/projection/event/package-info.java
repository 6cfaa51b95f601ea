/**
 * Events in the sense of event sourcing: facts about an aggregate, numbered from 1 within it, which never change.
 * {@link dev.spream.projection.event.EventStore} keeps them, {@link dev.spream.projection.event.EventSource} delivers
 * them to projections, from a store, a change stream or a broker.
 */
@NullMarked
package dev.spream.projection.event;

import org.jspecify.annotations.NullMarked;
