package dev.spream.storage.jdbc.lock.dialect;

import dev.spream.core.StorageException;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The tables of the locks in one schema, and the statements about them that differ between kinds of databases. */
public interface LockTables {

    /** Returns the place of the tables, as shown in messages, such as "schema 'spream'". */
    String place();

    /** Returns the place in the form of the flag {@code --schema}. */
    String schema();

    /** Returns the statement with the place and a dot in place of {@code @}. */
    String in(String sql);

    /**
     * Creates or migrates the tables where needed, or checks them.
     *
     * @throws LockException if the tables cannot be used; the message has their state and the remedy
     */
    void ensure(boolean migrate);

    /** Returns whether the tables exist, in any version. */
    boolean exist();

    /** Returns whether the server has advisory locks, which are the default where they exist. */
    boolean hasAdvisoryLocks();

    /**
     * Returns the statements that take advisory locks.
     *
     * @throws LockException if the server has none
     */
    LockSql advisoryLocks();

    /**
     * Returns the statements that lock rows.
     *
     * @throws LockException if the server does not support it, or its locks would have no effect
     */
    LockSql rowLocks();

    /** Returns the statement that records a layout unless one is recorded: strategy, hash, buckets, levels. */
    String recordSpace();

    /**
     * Returns the statement that creates the missing buckets of a range: level, first bucket, number of at most {@code
     * chunk}.
     */
    String makeBuckets(int chunk);

    /**
     * Removes all buckets and the record of their layout, in a transaction that the caller commits.
     *
     * @return the holders of locks, as shown in messages, in which case nothing was changed; empty if there were none
     */
    Optional<String> clear(Connection connection) throws SQLException;

    /** Returns the statements that store and read the reports of processes. */
    ReportSql reports();

    /** Returns the server's view of the locks of that space, either advisory or rows. */
    LockMonitor watch(Connection connection, boolean advisory, BucketSpace space) throws SQLException;

    /** Returns the server, as shown in messages, such as "PostgreSQL 18.6". */
    String server(Connection connection) throws SQLException;

    /** Returns notes for an operator, and problems. */
    Facts facts(Connection connection, boolean advisory) throws SQLException;

    record Facts(List<String> facts, List<String> problems) {}

    /**
     * Returns the exception for an error of a statement that takes no lock.
     *
     * @param what the call that failed, such as "reading the space of locks in schema 'spream'"
     */
    static LockException failure(String what, SQLException cause) {
        return failure(SqlErrors.storageException(what, cause));
    }

    static LockException failure(StorageException failure) {
        return failure.retryable()
                ? new LockConnectionException(String.valueOf(failure.getMessage()), failure)
                : new LockStoreException(String.valueOf(failure.getMessage()), failure);
    }
}
