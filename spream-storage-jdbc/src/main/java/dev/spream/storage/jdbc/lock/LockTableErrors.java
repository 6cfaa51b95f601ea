package dev.spream.storage.jdbc.lock;

import dev.spream.core.StorageException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;

/** What errors of statements mean that take no lock. */
final class LockTableErrors {
    private LockTableErrors() {}

    /** @param what what failed, such as "reading the space of locks in schema 'spream'" */
    static LockException of(String what, SQLException cause) {
        return of(SqlErrors.storageException(what, cause));
    }

    static LockException of(StorageException failure) {
        return failure.retryable()
                ? new LockConnectionException(String.valueOf(failure.getMessage()), failure)
                : new LockStoreException(String.valueOf(failure.getMessage()), failure);
    }
}
