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
 * Runs the code of a projection in a transaction, and distinguishes its failures from those of the store. The
 * transaction that the code received differs from one that has replaced it, as after {@code COMMIT AND CHAIN}, by a
 * setting that ends with it. The setting keeps the {@code search_path} that the session had, to which the session
 * returns.
 */
public final class ProjectionTransactionGuard {
    /** Comes before the first statement of the transaction. */
    static final String BEGIN = "SELECT set_config('spream.handed', '=' || current_setting('search_path'), true);\n";

    /** A projection, as its connection knows it. */
    public static final GuardedConnection.Work PROJECTION = new GuardedConnection.Work(
            "a projection",
            "its caller ends the transaction, and other code uses the connection next: set what is needed by SET LOCAL",
            false,
            ProjectionTransactionGuard::fatal);

    private static final String IS_KEPT = "SELECT current_setting('spream.handed', true) LIKE '=%' AS kept";

    /** The transaction's settings stay for deferred triggers, which run at the commit. */
    private static final String LEAVE = """
            SELECT kept, set_config('search_path', path, true)
            FROM (SELECT current_setting('spream.handed', true) LIKE '=%' AS kept, current_setting('search_path') AS path,
                    set_config('search_path', substr(current_setting('spream.handed', true), 2), false) AS back) AS session""";

    private ProjectionTransactionGuard() {}

    /** Carries the exception of the code past the handlers of failures of the store. */
    public static final class Failure extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        public Failure(Exception cause) {
            super(cause.getMessage(), cause, true, false);
        }

        /** A fatal failure of the projection. */
        public static Failure of(String message) {
            return new Failure(fatal(message));
        }

        /** As it was thrown, with what failed behind it. */
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
     * @throws Failure what the body threw
     * @throws StorageException if it left the transaction so that nothing can be committed, or ended it before it threw; its cause
     *     says what that means
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

    /** A retry would repeat the effects that it has committed itself. */
    private static void requireUndone(ProjectionTransaction transaction, Exception thrown) {
        boolean ended;
        try {
            ended = switch (state(transaction.connection())) {
                case IDLE -> true;
                case OPEN -> !transaction.row(IS_KEPT, p -> {}, row -> row.getBoolean("kept"));
                case FAILED -> false; // the server answers nothing more
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

    /** No statement ended it, and no error of the server was ignored in it. */
    private static void requireOpen(Connection connection) throws SQLException {
        switch (state(connection)) {
            case OPEN -> {}
            case IDLE -> throw cannotBeCommitted(ended());
            case FAILED ->
                throw cannotBeCommitted(new ProjectionException(
                        FailureKind.POISON,
                        "a projection went on after an error of the server, which has undone the whole transaction; it must throw"
                                + " what it catches, or set a savepoint before",
                        null));
        }
    }

    /** As the driver knows it without asking; open, if it is another one. */
    private static TransactionState state(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : TransactionState.OPEN;
    }

    /**
     * Runs the last trip of the transaction: the session has its own {@code search_path} once the transaction has committed.
     *
     * @throws StorageException if the transaction is not the one that the code was handed
     */
    public static void leave(StatementBatch last) throws SQLException {
        List<Boolean> kept = last.rows(LEAVE, p -> {}, row -> row.getBoolean("kept"));
        last.run();
        if (!kept.getFirst()) {
            throw cannotBeCommitted(ended());
        }
    }

    private static StorageException cannotBeCommitted(ProjectionException failure) {
        return new StorageException(
                "the work of a projection cannot be committed: " + failure.getMessage(), false, failure);
    }

    private static ProjectionException ended() {
        return fatal(
                "a projection ended the transaction that it was handed by a statement, such as COMMIT; what it had done by then may be"
                        + " there for good, and its progress is not: put that right, take the statement away, and resume it");
    }

    private static ProjectionException fatal(String message) {
        return new ProjectionException(FailureKind.FATAL, message, null);
    }
}
