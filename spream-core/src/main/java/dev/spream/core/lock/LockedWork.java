package dev.spream.core.lock;

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
    /** Neither commits nor rolls back; that is done for it. */
    @Nullable
    R run(T transaction) throws E;
}
