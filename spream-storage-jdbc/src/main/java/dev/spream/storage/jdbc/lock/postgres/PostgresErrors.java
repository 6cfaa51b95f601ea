package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;

/**
 * Maps PostgreSQL's errors of locks to exceptions.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a>
 */
final class PostgresErrors {
    private PostgresErrors() {}

    static LockException exception(String failed, SQLException cause) {
        String state = cause.getSQLState() == null ? "" : cause.getSQLState();
        String message = "%s failed: %s (SQLSTATE %s)".formatted(failed, SqlErrors.firstLine(cause), state);
        return switch (state) {
            case "55P03" -> new LockTimeoutException(message + "; the transaction has to be rolled back", cause);
            case "40P01", "40001" ->
                new LockDeadlockException(message + "; run the transaction again from its beginning", cause);
            case "57014" -> cancelled(message, cause);
            case "53200" ->
                new LockStoreException(
                        message + "; lock a common parent instead of so many targets, or raise"
                                + " max_locks_per_transaction of the server",
                        cause);
            case "42P01", "3F000" ->
                new BucketSpaceException(
                        message
                                + "; create the tables with migrate(true) or ./spream locks provision, or name the schema"
                                + " that has them",
                        cause);
            case "42501" ->
                new LockStoreException(message + "; grant the user the privileges on the schema and its tables", cause);
            case "25006" ->
                new BucketSpaceException(
                        message + "; take locks in a read-write transaction, on a server that accepts writes", cause);
            case "25P02" -> new LockStoreException(message + "; the transaction failed before; roll it back", cause);
            default ->
                isConnection(state)
                        ? new LockConnectionException(
                                message + "; the server releases its locks when it detects the closed connection",
                                cause)
                        : new LockStoreException(message, cause);
        };
    }

    /** Distinguishes a timeout from a cancellation by the text, since both have the same code. */
    private static LockException cancelled(String message, SQLException cause) {
        return SqlErrors.firstLine(cause).contains("statement timeout")
                ? new LockTimeoutException(message + "; the session's statement_timeout ends longer waits", cause)
                : new LockCancelledException(
                        message + "; an administrator cancelled it, or the session's statement_timeout", cause);
    }

    /**
     * Returns whether it is one of: a connection failure; a session ended by an administrator, a crash, a shutdown or
     * an idle timeout; a server that is starting.
     */
    private static boolean isConnection(String state) {
        return state.isEmpty()
                || state.startsWith("08")
                || switch (state) {
                    case "25P03", "57P01", "57P02", "57P03", "57P05", "53300" -> true;
                    default -> false;
                };
    }
}
