/**
 * Tests of events, and the contracts of event stores and event sources: {@link dev.spream.core.event.EventStoreContract},
 * {@link dev.spream.core.event.PositionedSourceContract} and {@link dev.spream.core.event.QueueSourceContract}. Extend them in
 * the tests of what implements the port.
 */
@NullMarked
package dev.spream.core.event;

import org.jspecify.annotations.NullMarked;
