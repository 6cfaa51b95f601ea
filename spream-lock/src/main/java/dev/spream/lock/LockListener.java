package dev.spream.lock;

import java.time.Duration;

/**
 * Told what happens to locks, for metrics and logs. Called on the thread that locks, or on the one that watches handles;
 * what it throws is logged and changes nothing. It has to be fast and safe for use by many threads.
 */
public interface LockListener {
    /**
     * Somebody else is in the way, and the call begins to wait.
     *
     * @param next the lock that it waits for first
     */
    default void waiting(LockRequest request, PlannedLock next) {}

    /**
     * All locks of a request are held.
     *
     * @param locks how many were taken; 0 if the owner had them all
     * @param took from the call on, the wait for a connection included
     * @param waited whether somebody was in the way
     */
    default void acquired(LockRequest request, int locks, Duration took, boolean waited) {}

    /** A request failed, after this time. */
    default void failed(LockRequest request, LockException failure, Duration took) {}

    /** A request failed because its thread was interrupted, after this time. */
    default void interrupted(LockRequest request, Duration took) {}

    /** A handle was opened: it has a connection, until it is {@link #closed}. */
    default void opened(LockRequest held) {}

    /** A handle that was opened has no connection any more; before this it was told what became of its locks, if it had any. */
    default void closed() {}

    /** A handle gave its locks back, after it held them for this long. */
    default void released(LockRequest held, Duration heldFor) {}

    /** A handle does not hold its locks any more, though nobody gave them back. */
    default void lost(LockRequest held, Duration heldFor) {}
}
