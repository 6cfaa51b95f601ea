package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * Work that is done in the transaction that holds the locks, and committed with it. It may be run again from its beginning, in
 * another transaction, so what it does elsewhere it may do twice.
 *
 * @param <T> a transaction of the store
 * @param <R> what the work returns; null is handed on as it is
 * @param <E> what it throws; the transaction is rolled back then
 */
@FunctionalInterface
public interface LockedWork<T, R, E extends Exception> {
    /**
     * Does the work. It neither commits nor rolls back the whole transaction, which is done for it: a connection refuses that,
     * and a statement that did it is noticed before the commit. Savepoints are the work's own, but a lock that it took after a
     * savepoint may be free after a rollback to that savepoint. What it is handed is of no use once it has returned.
     */
    @Nullable
    R run(T transaction) throws E;
}
