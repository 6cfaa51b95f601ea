package dev.spream.lock.inspection;

/** The reason why one session waits for another. */
public enum LockConflict {
    /** Both request one target, or one requests an ancestor of the other's target, in modes that exclude each other. */
    CONFLICT,
    /**
     * Their requests have no target in common, but share a bucket. More buckets make it rarer; the same two targets
     * always collide again.
     */
    FALSE_CONTENTION,
    /** It waits for a row or a table of the work itself, not for one of these locks. */
    ELSEWHERE,
    /**
     * The targets of one of the two are unknown: it has held its locks for less than about a second, or does not
     * report.
     */
    UNKNOWN
}
