package dev.spream.lock;

/** The mode of a lock: shared or exclusive. */
public enum LockMode {
    /** Shared with other owners in this mode. */
    SHARED,
    /** Held by a single owner. */
    EXCLUSIVE;

    /** Returns whether a lock held in this mode excludes a request for the other. */
    public boolean conflictsWith(LockMode other) {
        return this == EXCLUSIVE || other == EXCLUSIVE;
    }

    /** Returns whether a lock held in this mode includes the other. */
    public boolean covers(LockMode other) {
        return this == EXCLUSIVE || other == SHARED;
    }

    public LockMode strongest(LockMode other) {
        return covers(other) ? this : other;
    }
}
