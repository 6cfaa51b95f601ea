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

/** The tables of the locks in one place, and what kinds of databases say differently about them. */
public interface LockTables {

    /** Where they are, for people, such as "schema 'spream'". */
    String place();

    /** The place as the flag {@code --schema} takes it. */
    String schema();

    /** The statement, with the place and a dot wherever it says {@code @}. */
    String in(String sql);

    /**
     * Creates or migrates them where needed, or requires them as they have to be.
     *
     * @throws LockException that says what is there and what to do, if they cannot be used
     */
    void ensure(boolean migrate);

    /** Whether there are tables at all, of whatever version. */
    boolean exist();

    /** Whether the server has advisory locks; then they are what is used unless rows are asked for. */
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
     * @throws LockException if the server cannot do it, or its locks would exclude nobody
     */
    LockSql rowLocks();

    /** Records a layout unless one is recorded: strategy, hash, buckets, levels. */
    String recordSpace();

    /** Makes the buckets that are missing of a range: level, first bucket, how many of at most {@code chunk}. */
    String makeBuckets(int chunk);

    /**
     * Removes all buckets and what is recorded of them, in a transaction that is committed afterwards.
     *
     * @return who holds locks, for people, in which case nothing was changed; empty if nobody did
     */
    Optional<String> clear(Connection connection) throws SQLException;

    /** How the reports of processes are stored and read here. */
    ReportSql reports();

    /** Where the server shows the locks of that space, be they advisory or rows. */
    LockMonitor watch(Connection connection, boolean advisory, BucketSpace space) throws SQLException;

    /** The server, for people, such as "PostgreSQL 18.6". */
    String server(Connection connection) throws SQLException;

    /** What an operator should know, and what is wrong. */
    Facts facts(Connection connection, boolean advisory) throws SQLException;

    record Facts(List<String> facts, List<String> problems) {}

    /**
     * What an error of a statement means that takes no lock.
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
