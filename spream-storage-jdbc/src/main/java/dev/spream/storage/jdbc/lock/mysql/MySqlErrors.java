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
 * Maps the errors of MySQL and MariaDB to exceptions by their numbers, because the drivers use different classes and
 * states for one error.
 *
 * @see <a href="https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html">MySQL: server errors</a>
 * @see <a href="https://mariadb.com/kb/en/mariadb-error-codes/">MariaDB: error codes</a>
 */
final class MySqlErrors {
    private MySqlErrors() {}

    static LockException exception(String failed, SQLException cause) {
        String message = "%s failed: %s (error %d)".formatted(failed, SqlErrors.firstLine(cause), cause.getErrorCode());
        return switch (cause.getErrorCode()) {
            // The server rolled back only the statement; locks taken before it remain until the rollback.
            case 1205 -> new LockTimeoutException(message + "; the transaction has to be rolled back", cause);
            case 3572 -> new LockBusyException(message + "; the transaction has to be rolled back", cause);
            case 1969, 3024 ->
                new LockTimeoutException(
                        message + "; the time limit of the wait or the session's statement limit was exceeded", cause);
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
                        message + "; take locks in a read-write transaction, on a server that accepts writes", cause);
            default -> other(message, cause);
        };
    }

    private static LockException other(String message, SQLException cause) {
        if (isConnection(cause)) {
            return new LockConnectionException(
                    message + "; the server releases its locks when it detects the closed connection", cause);
        }
        return isCancelledByDriver(cause) ? cancelled(message, cause) : new LockStoreException(message, cause);
    }

    private static LockException cancelled(String message, SQLException cause) {
        return new LockCancelledException(message + "; an administrator cancelled it, or the program itself", cause);
    }

    /**
     * Returns whether it is the error of MySQL's driver for a cancelled statement, which has neither number nor state.
     */
    private static boolean isCancelledByDriver(SQLException cause) {
        return SqlErrors.firstLine(cause).startsWith("Statement cancelled");
    }

    /**
     * Returns whether it is one of: too many connections; a shutdown; a connection that was killed, or was idle for too
     * long; and errors that the drivers report as connection failures by the state.
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
