package dev.spream.storage.jdbc.projection.internal;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import dev.spream.storage.jdbc.internal.Transactions;
import java.io.Serial;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Runs the code of a projection in a transaction, and distinguishes its failures from those of the store. A setting
 * that ends with the transaction distinguishes it from one that has replaced it, as after {@code COMMIT AND CHAIN}. The
 * setting also has the former {@code search_path} of the session, which is restored.
 */
public final class ProjectionTransactionGuard {
    /** Precedes the first statement of the transaction. */
    static final String BEGIN = "SELECT set_config('spream.handed', '=' || current_setting('search_path'), true);\n";

    /** The work of a guarded connection that a projection gets. */
    public static final GuardedConnection.Work PROJECTION = new GuardedConnection.Work(
            "a projection",
            "its caller ends the transaction, and the connection is reused: change settings by SET LOCAL",
            false,
            ProjectionTransactionGuard::fatal);

    private static final String IS_KEPT = "SELECT current_setting('spream.handed', true) LIKE '=%' AS kept";

    /** The settings of the transaction are kept for deferred triggers, which run at the commit. */
    private static final String LEAVE = """
            SELECT kept, set_config('search_path', path, true)
            FROM (SELECT current_setting('spream.handed', true) LIKE '=%' AS kept, current_setting('search_path') AS path,
                    set_config('search_path', substr(current_setting('spream.handed', true), 2), false) AS back) AS session""";

    private static final String ENDED = "spream.transaction_was_ended";

    /** Fails in another transaction than the one that the code received, so that the server commits nothing. */
    private static final String REQUIRE_KEPT = """
            SELECT CASE WHEN current_setting('spream.handed', true) LIKE '=%%' THEN '' ELSE current_setting('%s') END""".formatted(ENDED);

    private static final String UNDEFINED_OBJECT = "42704";

    private ProjectionTransactionGuard() {}

    /** Carries the exception of the code through the handlers of the store's failures. */
    public static final class Failure extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        public Failure(Exception cause) {
            super(cause.getMessage(), cause, true, false);
        }

        /** Returns a fatal failure of the projection. */
        public static Failure of(String message) {
            return new Failure(fatal(message));
        }

        /** Returns the exception as thrown, with its causes. */
        Exception thrown() {
            Exception thrown = (Exception) requireNonNull(getCause());
            for (Throwable suppressed : getSuppressed()) {
                thrown.addSuppressed(suppressed);
            }
            return thrown;
        }
    }

    /**
     * Runs the code.
     *
     * @throws Failure the exception of the body
     * @throws StorageException if it left the transaction in a state that cannot be committed, or ended it before it
     *     threw; its cause is the failure of the projection
     */
    public static <R> R run(ProjectionTransaction transaction, Transactions.Work<R, Exception> body)
            throws SQLException, Failure {
        GuardedConnection guard = new GuardedConnection(transaction.connection(), PROJECTION);
        R result;
        try {
            result = body.run(guard.view());
        } catch (Exception e) {
            guard.end();
            requireUndone(transaction, e);
            throw new Failure(e);
        } finally {
            guard.end();
        }
        requireOpen(transaction.connection());
        return result;
    }

    /** Requires that the transaction was not ended: a retry would repeat effects that the code has committed itself. */
    private static void requireUndone(ProjectionTransaction transaction, Exception thrown) {
        boolean ended;
        try {
            ended = switch (state(transaction.connection())) {
                case IDLE -> true;
                case OPEN -> !transaction.row(IS_KEPT, p -> {}, row -> row.getBoolean("kept"));
                case FAILED -> false; // the server accepts no more statements
            };
        } catch (SQLException e) {
            thrown.addSuppressed(e);
            return;
        }
        if (ended) {
            StorageException failure = cannotBeCommitted(ended());
            failure.addSuppressed(thrown);
            throw failure;
        }
    }

    /** Requires that no statement ended the transaction, and that no error of the server was ignored. */
    private static void requireOpen(Connection connection) throws SQLException {
        switch (state(connection)) {
            case OPEN -> {}
            case IDLE -> throw cannotBeCommitted(ended());
            case FAILED ->
                throw cannotBeCommitted(new ProjectionException(
                        FailureKind.POISON,
                        "a projection continued after an error of the server, which has aborted the transaction; rethrow the"
                                + " exception, or set a savepoint before the statement",
                        null));
        }
    }

    /** Returns the state as known by the driver, without a query; open for other drivers. */
    private static TransactionState state(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : TransactionState.OPEN;
    }

    /**
     * Runs the last round trip before the commit, which restores the session's {@code search_path}.
     *
     * @throws StorageException if the transaction is not the one that the code received
     */
    public static void leave(StatementBatch last) throws SQLException {
        List<Boolean> kept = last.rows(LEAVE, p -> {}, row -> row.getBoolean("kept"));
        last.run();
        if (!kept.getFirst()) {
            throw cannotBeCommitted(ended());
        }
    }

    /**
     * Runs the last round trip, which restores the session's {@code search_path} and commits.
     *
     * @throws StorageException if the transaction is not the one that the code received; nothing of it was committed
     */
    public static void leaveAndCommit(StatementBatch last) throws SQLException {
        last.update(REQUIRE_KEPT, p -> {}).update(LEAVE, p -> {}).update("COMMIT", p -> {});
        try {
            last.run();
        } catch (SQLException e) {
            if (UNDEFINED_OBJECT.equals(e.getSQLState())
                    && String.valueOf(e.getMessage()).contains(ENDED)) {
                throw cannotBeCommitted(ended());
            }
            throw e;
        }
    }

    private static StorageException cannotBeCommitted(ProjectionException failure) {
        return new StorageException(
                "the work of a projection cannot be committed: " + failure.getMessage(), false, failure);
    }

    private static ProjectionException ended() {
        return fatal(
                "a projection ended its transaction by a statement, such as COMMIT; its earlier effects may be committed, but its"
                        + " progress is not: correct these effects, remove the statement, and resume the projection");
    }

    private static ProjectionException fatal(String message) {
        return new ProjectionException(FailureKind.FATAL, message, null);
    }
}
