package dev.spream.testkit.event;

/** The fixture of {@link QueueSourceContract}. */
public interface QueueSourceFixture extends EventSourceFixture {

    /** Writes something that is no event to where the source has events from. */
    void writeUndecodable();
}
