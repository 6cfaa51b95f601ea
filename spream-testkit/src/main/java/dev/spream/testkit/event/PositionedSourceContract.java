package dev.spream.testkit.event;

import dev.spream.projection.event.EventSource;

/** The contract of an {@link EventSource} with positions as tests. Extend it in the tests of such a source. */
public abstract class PositionedSourceContract extends EventSourceSuite<EventSourceFixture>
        implements DeliveryContract, PositionContract {}
