/**
 * The contracts of event stores and event sources: {@link dev.spream.testkit.event.EventStoreContract}, {@link
 * dev.spream.testkit.event.PositionedSourceContract} and {@link dev.spream.testkit.event.QueueSourceContract}.
 */
@NullMarked
package dev.spream.testkit.event;

import org.jspecify.annotations.NullMarked;
