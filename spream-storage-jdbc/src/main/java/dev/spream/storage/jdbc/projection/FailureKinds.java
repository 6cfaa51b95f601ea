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
 * The kinds of failures of projections, by the state that the server gives to an error.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a>
 */
final class FailureKinds {
    /**
     * Missing features, catalogs and schemas; users that may not connect; statements that are wrong or not permitted.
     */
    private static final Set<String> FATAL_CLASSES = Set.of("0A", "28", "3D", "3F", "42");

    /** A serialization failure, and a deadlock: the transaction was rolled back, and may be run again as it was. */
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

    /** Null if its cause is more specific. */
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

    /** A table was altered since the statement was prepared, which says "feature not supported" and is over with the next try. */
    private static boolean isStalePlan(SQLException failure) {
        ServerErrorMessage message = failure instanceof PSQLException told ? told.getServerErrorMessage() : null;
        return message != null && "RevalidateCachedQuery".equals(message.getRoutine());
    }
}
