package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Classifies failures of projections by the SQLSTATE of an error.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a>
 */
final class FailureKinds {
    /**
     * The classes of fatal errors: missing features, catalogs and schemas; users that may not connect; statements that
     * are invalid or not permitted.
     */
    private static final Set<String> FATAL_CLASSES = Set.of("0A", "28", "3D", "3F", "42");

    /**
     * The states of a serialization failure and a deadlock: the transaction was rolled back, and can be repeated
     * unchanged.
     */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    private static final String SYSTEM_ERROR = "58";
    private static final String NO_SUCH_STATEMENT = "26000";

    private FailureKinds() {}

    static FailureKind of(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            FailureKind kind = known(cause);
            if (kind != null) {
                return kind;
            }
        }
        return FailureKind.POISON;
    }

    /** Returns null if the kind depends on the cause. */
    private static @Nullable FailureKind known(Throwable failure) {
        return switch (failure) {
            case ProjectionException told -> told.kind();
            case StorageException storage
            when storage.retryable() ->
                storage.getCause() instanceof Exception cause && of(cause) == FailureKind.CONFLICT
                        ? FailureKind.CONFLICT
                        : FailureKind.TRANSIENT;
            case SQLException sql when sql.getSQLState() != null || SqlErrors.isRetryable(sql) -> ofServer(sql);
            case InterruptedException interrupted -> FailureKind.TRANSIENT;
            case TimeoutException late -> FailureKind.TRANSIENT;
            default -> null;
        };
    }

    private static FailureKind ofServer(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        if (CONFLICTS.contains(state)) {
            return FailureKind.CONFLICT;
        }
        if (SqlErrors.isRetryable(failure)
                || state.startsWith(SYSTEM_ERROR)
                || state.equals(NO_SUCH_STATEMENT)
                || isStalePlan(failure)) {
            return FailureKind.TRANSIENT;
        }
        return FATAL_CLASSES.stream().anyMatch(state::startsWith) ? FailureKind.FATAL : FailureKind.POISON;
    }

    /**
     * Returns whether a table was altered since the statement was prepared; this is reported as "feature not supported"
     * and the next attempt succeeds.
     */
    private static boolean isStalePlan(SQLException failure) {
        ServerErrorMessage message = failure instanceof PSQLException told ? told.getServerErrorMessage() : null;
        return message != null && "RevalidateCachedQuery".equals(message.getRoutine());
    }
}
