package dev.spream.core.partition;

/** The state of a partition: CREATED → SCHEDULED → RUNNING → FINISHED. The names are those that Apache Beam stores. */
public enum PartitionState {
    /** Known, and never claimed. */
    CREATED,
    /** Claimed by a worker that has not started to read it. */
    SCHEDULED,
    /** Being read, or waiting for the next owner to continue. */
    RUNNING,
    /** Read to its proven end, every record settled. */
    FINISHED;

    /** Returns whether a partition in this state may go to the other. An owner may change without a change of state. */
    public boolean canBecome(PartitionState next) {
        return switch (this) {
            case CREATED -> next == SCHEDULED;
            case SCHEDULED -> next == RUNNING;
            case RUNNING -> next == FINISHED;
            case FINISHED -> false;
        };
    }
}
