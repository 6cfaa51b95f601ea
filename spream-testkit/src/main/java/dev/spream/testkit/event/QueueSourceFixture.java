package dev.spream.testkit.event;

/** The fixture with which {@link QueueSourceContract} tests a source without positions. */
public interface QueueSourceFixture extends EventSourceFixture {

    /** Writes something that is not an event to the origin of the source. */
    void writeUndecodable();
}
