package dev.spream.lock;

/** The mode of a lock: shared or exclusive. */
public enum LockMode {
    /** With others who share it. */
    SHARED,
    /** By one alone. */
    EXCLUSIVE;

    /** Whether a lock held in the one mode keeps another out that wants it in the other. */
    public boolean conflictsWith(LockMode other) {
        return this == EXCLUSIVE || other == EXCLUSIVE;
    }

    /** Whether who holds a lock in this mode has nothing to gain from the other. */
    public boolean covers(LockMode other) {
        return this == EXCLUSIVE || other == SHARED;
    }

    public LockMode strongest(LockMode other) {
        return covers(other) ? this : other;
    }
}
