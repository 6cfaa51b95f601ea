package dev.spream.storage.jdbc.internal;

import dev.spream.core.StorageException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Maps errors of the database to exceptions: whether they are retryable, and the remedy if not.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a>
 */
public final class SqlErrors {
    /** Connections, serialization and deadlocks, resources. */
    private static final Set<String> RETRYABLE_CLASSES = Set.of("08", "40", "53");

    private static final Set<String> RETRYABLE_STATES = Set.of(
            "25006", // read-only transaction: a standby, while another server is promoted
            "25P03", // idle in transaction for too long
            "55P03", // lock not available
            "57014", // cancelled, as by our own time limit
            "57P01", // the server is shutting down
            "57P02", // the server is restarting after a crash
            "57P03", // the server is starting
            "57P05"); // idle for too long

    /** Errors of MySQL and MariaDB whose states do not show that they are retryable. */
    private static final Set<Integer> RETRYABLE_CODES = Set.of(
            1020, // the row has changed since the snapshot of the transaction
            1205, // lock not available in time
            1290, // read-only: a replica, while another server is promoted
            1317, // cancelled
            1836, // read-only
            1969, // cancelled by a time limit, in MariaDB
            3024); // cancelled by a time limit, in MySQL

    /** A statement that is larger than what the server accepts, for which it closes the connection. */
    private static final int PACKET_TOO_LARGE = 1153;

    private static final int INCORRECT_VALUE = 1366;

    private SqlErrors() {}

    /**
     * Returns the exception to throw. If the error was caused by an interrupt, the interrupt is restored.
     *
     * @param failed what failed, such as "renewing 3 leases of subscription 'orders'"
     */
    public static StorageException storageException(String failed, SQLException cause) {
        return exception(failed, cause, cause);
    }

    /**
     * Returns the exception to throw for statements that hold users' data. For an error about data it has no cause, whose
     * details would quote them.
     */
    public static StorageException withoutData(String failed, SQLException cause) {
        return exception(failed, cause, isAboutData(cause) ? null : cause);
    }

    private static StorageException exception(String failed, SQLException error, @Nullable Throwable cause) {
        restoreInterrupt(error);
        boolean retryable = isRetryable(error);
        String message = "%s failed%s%s; %s".formatted(failed, reason(error), state(error), advice(error, retryable));
        return new StorageException(message, retryable, cause);
    }

    /**
     * Returns the exception to throw for a non-retryable failure, which persists until an operator removes its cause.
     */
    public static StorageException permanent(String message) {
        return new StorageException(message, false, null);
    }

    /**
     * Returns the exception to throw for a failed commit of work that must not be repeated blindly.
     *
     * @param look the place to look for whether the work was committed
     */
    public static StorageException ofCommit(String failed, SQLException cause, String look) {
        StorageException plain = storageException(failed, cause);
        return plain.retryable()
                ? new StorageException(
                        "%s failed%s%s; the commit was not confirmed, so it may have taken effect: check %s before you repeat it"
                                .formatted(failed, reason(cause), state(cause), look),
                        true,
                        cause)
                : plain;
    }

    /**
     * Returns whether the same call may succeed later. A pool that timed out reports its own wait first and the
     * server's error as the cause, so the cause decides.
     */
    public static boolean isRetryable(SQLException error) {
        if (isTooLarge(error)) {
            return false;
        }
        if (RETRYABLE_CODES.contains(error.getErrorCode())) {
            return true;
        }
        List<String> states = states(error);
        if (!states.isEmpty()) {
            return states.stream().allMatch(SqlErrors::isRetryable);
        }
        return error instanceof SQLTransientException || isInterrupt(error);
    }

    /** Returns whether a server of MySQL or MariaDB, or its driver, refuses a statement for its size. */
    public static boolean isTooLarge(SQLException error) {
        return error.getErrorCode() == PACKET_TOO_LARGE || firstLine(error).contains("max_allowed_packet");
    }

    private static boolean isRetryable(String state) {
        return RETRYABLE_STATES.contains(state)
                || (state.length() >= 2 && RETRYABLE_CLASSES.contains(state.substring(0, 2)));
    }

    private static String advice(SQLException error, boolean retryable) {
        if (retryable) {
            return "the same call may succeed later";
        }
        if (isTooLarge(error)) {
            return "raise max_allowed_packet of the server, or send less in a call";
        }
        return Stream.concat(Stream.of(ofMySql(error)), states(error).stream().map(SqlErrors::remedy))
                .filter(remedy -> !remedy.isEmpty())
                .findFirst()
                .orElse("it will fail again until its cause is removed");
    }

    private static String ofMySql(SQLException error) {
        return switch (error.getErrorCode()) {
            case 1044, 1142, 1143, 1227 -> "grant the user what it needs on the database and its tables";
            case 1049 -> remedy("3D000");
            case 1146 -> remedy("42P01");
            default -> "";
        };
    }

    private static String remedy(String state) {
        return switch (state) {
            case "28000", "28P01" -> "check user and password, and in PostgreSQL the server's pg_hba.conf";
            case "3D000" -> "create the database, or name one that exists";
            case "3F000", "42P01" -> "create the tables, or check the schema's name";
            case "42501" -> "grant the user what it needs on the schema and its tables";
            default -> "";
        };
    }

    /** Returns the reason; empty for errors about data, which quote values. */
    private static String reason(SQLException error) {
        if (isAboutData(error)) {
            return "";
        }
        String first = firstLine(error);
        SQLException cause = nested(error);
        String deeper = cause == null ? "" : firstLine(cause);
        return ": " + (first.contains(deeper) ? first : first + ": " + deeper);
    }

    private static boolean isAboutData(SQLException error) {
        return states(error).stream().anyMatch(SqlErrors::isAboutData) || error.getErrorCode() == INCORRECT_VALUE;
    }

    private static boolean isAboutData(String state) {
        return state.startsWith("22") || state.startsWith("23");
    }

    /**
     * Returns the first line of the message; the driver adds details and hints in further lines, which the cause keeps.
     */
    public static String firstLine(SQLException error) {
        String message = error.getMessage();
        return message == null
                ? error.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }

    private static String state(SQLException error) {
        List<String> states = states(error);
        return states.isEmpty() ? "" : " (SQLSTATE %s)".formatted(states.getLast());
    }

    private static List<String> states(SQLException error) {
        List<String> states = new ArrayList<>();
        for (SQLException e = error; e != null; e = nested(e)) {
            String state = e.getSQLState();
            if (state != null && !state.isEmpty()) {
                states.add(state);
            }
        }
        return states;
    }

    private static @Nullable SQLException nested(Throwable error) {
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    private static void restoreInterrupt(SQLException error) {
        if (isInterrupt(error)) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isInterrupt(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }
}
