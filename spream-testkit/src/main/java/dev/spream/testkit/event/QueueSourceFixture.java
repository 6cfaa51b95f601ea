package dev.spream.testkit.event;

/** What {@link QueueSourceContract} needs to know besides. */
public interface QueueSourceFixture extends EventSourceFixture {

    /** Writes something that is no event to where the source has events from. */
    void writeUndecodable();
}
