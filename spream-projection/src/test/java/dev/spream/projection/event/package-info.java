/**
 * Tests of events, and the contracts of event stores and event sources: {@link dev.spream.projection.event.EventStoreContract},
 * {@link dev.spream.projection.event.PositionedSourceContract} and {@link dev.spream.projection.event.QueueSourceContract}. Extend them in
 * the tests of what implements the port.
 */
@NullMarked
package dev.spream.projection.event;

import org.jspecify.annotations.NullMarked;
