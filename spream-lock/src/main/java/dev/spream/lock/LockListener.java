package dev.spream.lock;

import java.time.Duration;

/**
 * Receives the events of locks, for metrics and logs. Called on the thread that locks, or on the one that checks
 * handles; an exception is logged and changes nothing. Must be fast and safe for use by many threads.
 */
public interface LockListener {
    /**
     * Called when another owner holds a lock, and the call begins to wait.
     *
     * @param next the lock that it waits for first
     */
    default void waiting(LockRequest request, PlannedLock next) {}

    /**
     * Called when all locks of a request are held.
     *
     * @param locks the number of locks taken; 0 if the owner had them all
     * @param took the time since the call, including the wait for a connection
     * @param waited whether the call waited for another owner
     */
    default void acquired(LockRequest request, int locks, Duration took, boolean waited) {}

    /** Called when a request failed, after this time. */
    default void failed(LockRequest request, LockException failure, Duration took) {}

    /** Called when a request failed because its thread was interrupted, after this time. */
    default void interrupted(LockRequest request, Duration took) {}

    /** Called when a handle was opened: it has a connection until it is {@link #closed}. */
    default void opened(LockRequest held) {}

    /**
     * Called when a handle no longer has a connection; if it had locks, {@link #released} or {@link #lost} was called
     * before.
     */
    default void closed() {}

    /** Called when a handle released its locks, after it held them for this long. */
    default void released(LockRequest held, Duration heldFor) {}

    /** Called when a handle lost its locks without having released them. */
    default void lost(LockRequest held, Duration heldFor) {}
}
