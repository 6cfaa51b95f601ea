package dev.spream.outbox;

/** A lane that a worker holds, and how far it has read it. Confined to its {@link KeyPlan}. */
final class LaneState {
    final LaneLease lease;

    /** The last id that was read going forward. */
    long readTo;

    /** Whether there was nothing behind it. */
    boolean atEnd;

    /** The last id that was read looking for what was committed late. */
    long lookedTo;

    /** How many entries of it are kept that do not wait for anything but their turn. */
    int queued;

    LaneState(LaneLease lease) {
        this.lease = lease;
    }
}
