package dev.spream.testkit.event;

import dev.spream.projection.event.EventSource;

/** The contract of an {@link EventSource} without positions as tests. Extend it in the tests of such a source. */
public abstract class QueueSourceContract extends EventSourceSuite<QueueSourceFixture>
        implements DeliveryContract, AcknowledgeContract {

    @Override
    public final void writeUndecodable() {
        fixture().writeUndecodable();
    }
}
