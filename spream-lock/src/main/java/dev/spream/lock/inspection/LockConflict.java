package dev.spream.lock.inspection;

/** The reason why one session waits for another. */
public enum LockConflict {
    /** Both ask for one target, or one for an ancestor of the other's, in modes that exclude each other. */
    CONFLICT,
    /**
     * They ask for nothing in common: their targets share a bucket. More buckets make it rarer; the same two targets always
     * meet again.
     */
    FALSE_CONTENTION,
    /** It waits not for one of these locks, but for a row or a table of the work itself. */
    ELSEWHERE,
    /**
     * The targets of one of the two are unknown: it has held its locks for less than about a second, or does not
     * report.
     */
    UNKNOWN
}
