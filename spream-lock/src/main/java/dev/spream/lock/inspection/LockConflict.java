package dev.spream.lock.inspection;

/** The reason why one session waits for another. */
public enum LockConflict {
    /** Both ask for one target, or one for what is above the other's, in modes that exclude each other. */
    CONFLICT,
    /**
     * They ask for nothing in common: their targets share a bucket. More buckets make it rarer; the same two targets always
     * meet again.
     */
    FALSE_CONTENTION,
    /** What it waits for is not one of these locks, but a row or a table of the work itself. */
    ELSEWHERE,
    /** One of the two has not said what it locks: it has held it for less than a second or so, or reports nothing. */
    UNKNOWN
}
