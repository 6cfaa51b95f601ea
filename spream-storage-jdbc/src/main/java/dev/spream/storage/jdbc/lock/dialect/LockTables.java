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

    /** Where they are, as shown in messages, such as "schema 'spream'". */
    String place();

    /** The place as the flag {@code --schema} takes it. */
    String schema();

    /** The statement with the place and a dot in place of {@code @}. */
    String in(String sql);

    /**
     * Creates or migrates them where needed, or requires them as they have to be.
     *
     * @throws LockException if they cannot be used; the message has their state and the remedy
     */
    void ensure(boolean migrate);

    /** Returns whether the tables exist, in any version. */
    boolean exist();

    /** Returns whether the server has advisory locks; then they are what is used unless rows are asked for. */
    boolean hasAdvisoryLocks();

    /**
     * How advisory locks are taken here.
     *
     * @throws LockException if the server has none
     */
    LockSql advisoryLocks();

    /**
     * How rows are locked here.
     *
     * @throws LockException if the server cannot do it, or its locks would have no effect
     */
    LockSql rowLocks();

    /** Records a layout unless one is recorded: strategy, hash, buckets, levels. */
    String recordSpace();

    /** Makes the buckets that are missing of a range: level, first bucket, how many of at most {@code chunk}. */
    String makeBuckets(int chunk);

    /**
     * Removes all buckets and what is recorded of them, in a transaction that is committed afterwards.
     *
     * @return the holders of locks, as shown in messages, in which case nothing was changed; empty if there were none
     */
    Optional<String> clear(Connection connection) throws SQLException;

    /** How the reports of processes are stored and read here. */
    ReportSql reports();

    /** Where the server shows the locks of that space, be they advisory or rows. */
    LockMonitor watch(Connection connection, boolean advisory, BucketSpace space) throws SQLException;

    /** The server, as shown in messages, such as "PostgreSQL 18.6". */
    String server(Connection connection) throws SQLException;

    /** Adds notes for an operator, and problems. */
    Facts facts(Connection connection, boolean advisory) throws SQLException;

    record Facts(List<String> facts, List<String> problems) {}

    /**
     * The exception for an error of a statement that takes no lock.
     *
     * @param what what failed, such as "reading the space of locks in schema 'spream'"
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
