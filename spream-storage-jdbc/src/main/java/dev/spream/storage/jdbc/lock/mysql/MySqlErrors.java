package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;

/**
 * The meanings of the errors of MySQL and MariaDB, by their numbers: the drivers give one error different classes and
 * different states.
 *
 * @see <a href="https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html">MySQL: server errors</a>
 * @see <a href="https://mariadb.com/kb/en/mariadb-error-codes/">MariaDB: error codes</a>
 */
final class MySqlErrors {
    private MySqlErrors() {}

    static LockException exception(String failed, SQLException cause) {
        String message = "%s failed: %s (error %d)".formatted(failed, SqlErrors.firstLine(cause), cause.getErrorCode());
        return switch (cause.getErrorCode()) {
            // The server took back the statement alone; what was locked before it stays so until the rollback.
            case 1205 -> new LockTimeoutException(message + "; the transaction has to be rolled back", cause);
            case 3572 -> new LockBusyException(message + "; the transaction has to be rolled back", cause);
            case 1969, 3024 ->
                new LockTimeoutException(
                        message + "; the time for it is over, or the session's own limit for statements", cause);
            case 1213, 1020 ->
                new LockDeadlockException(message + "; run the transaction again from its beginning", cause);
            case 1317 -> cancelled(message, cause);
            case 1206 ->
                new LockStoreException(
                        message
                                + "; lock a common parent instead of so many targets, or raise innodb_buffer_pool_size of"
                                + " the server",
                        cause);
            case 1049, 1146 ->
                new BucketSpaceException(
                        message
                                + "; create the tables with ./spream locks provision, or name the database that has them",
                        cause);
            case 1044, 1142, 1143, 1227 ->
                new LockStoreException(
                        message + "; grant the user SELECT and UPDATE on the tables of the locks", cause);
            case 1290, 1792, 1836 ->
                new BucketSpaceException(
                        message + "; lock in a transaction that may write, on a server that may be written to", cause);
            default -> other(message, cause);
        };
    }

    private static LockException other(String message, SQLException cause) {
        if (isConnection(cause)) {
            return new LockConnectionException(message + "; its locks are free as soon as the server notices", cause);
        }
        return isCancelledByDriver(cause) ? cancelled(message, cause) : new LockStoreException(message, cause);
    }

    private static LockException cancelled(String message, SQLException cause) {
        return new LockCancelledException(message + "; an administrator cancelled it, or the program itself", cause);
    }

    /** MySQL's driver has an error of its own for that, without number or state. */
    private static boolean isCancelledByDriver(SQLException cause) {
        return SqlErrors.firstLine(cause).startsWith("Statement cancelled");
    }

    /**
     * Too many connections; a shutdown; a connection that was killed, or that stood still for too long; and what the drivers
     * call so by the state.
     */
    private static boolean isConnection(SQLException cause) {
        String state = cause.getSQLState() == null ? "" : cause.getSQLState();
        return state.startsWith("08")
                || switch (cause.getErrorCode()) {
                    case 1040, 1053, 1203, 1226, 1927, 2006, 2013, 3169, 4031 -> true;
                    default -> state.isEmpty() && !isCancelledByDriver(cause);
                };
    }
}
