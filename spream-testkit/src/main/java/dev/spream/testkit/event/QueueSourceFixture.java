package dev.spream.testkit.event;

/** The fixture of {@link QueueSourceContract}. */
public interface QueueSourceFixture extends EventSourceFixture {

    /** Writes something that is not an event to the origin of the source. */
    void writeUndecodable();
}
