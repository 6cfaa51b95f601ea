package dev.spream.lock;

/**
 * The locks that a call of {@link LockStore#tryLock} took, and the transaction that holds them.
 *
 * @param count the number of locks, from the first on
 * @param session the database's id of the connection that holds them, such as a process id
 * @param transaction identifies the transaction among those before and after it on that connection
 */
public record AcquiredLocks(int count, String session, String transaction) {}
