package dev.spream.lock;

/**
 * The locks that {@link LockStore#tryLock} took.
 *
 * @param count how many locks, from the first on
 * @param session what the database calls the connection that holds them, such as a process id
 * @param transaction identifies the transaction among those before and after it on that connection
 */
public record AcquiredLocks(int count, String session, String transaction) {}
