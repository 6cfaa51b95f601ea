package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionFailure;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Runs a projection's code in a transaction, and tells its failures from those of the store. */
final class FencedWork {
    /** A projection, as its connection knows it. */
    static final GuardedConnection.Work PROJECTION = new GuardedConnection.Work(
            "a projection",
            "whoever runs it ends the transaction, and others have the connection next: set what is needed by SET LOCAL",
            false,
            FencedWork::failure);

    private FencedWork() {}

    /** What a projection does with a connection. */
    interface Body<R> {
        R run(Connection connection) throws Exception;
    }

    /**
     * Does it.
     *
     * @throws WorkFailure what the body threw
     * @throws StorageException if it left the transaction so that nothing can be committed, or ended it before it threw; its cause
     *     says what that means
     */
    static <R> R run(ProjectionTransaction transaction, Body<R> body) throws SQLException, WorkFailure {
        GuardedConnection guard = new GuardedConnection(transaction.connection(), PROJECTION);
        R result;
        try {
            result = body.run(guard.view());
        } catch (Exception e) {
            guard.end();
            requireUndone(transaction, e);
            throw new WorkFailure(e);
        } finally {
            guard.end();
        }
        requireOpen(transaction.connection());
        return result;
    }

    /** What it has committed by itself would be done twice if it were tried again. */
    private static void requireUndone(ProjectionTransaction transaction, Exception thrown) {
        boolean ended;
        try {
            ended = switch (state(transaction.connection())) {
                case IDLE -> true;
                case OPEN -> !HandedTransaction.isKept(transaction);
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

    /**
     * Requires that the transaction which is about to be committed is what the work was handed.
     *
     * @param kept what {@link HandedTransaction#leave} has found
     */
    static void requireKept(RoundTrip.Rows<Boolean> kept) {
        if (!kept.list().getFirst()) {
            throw cannotBeCommitted(ended());
        }
    }

    private static StorageException cannotBeCommitted(ProjectionFailure failure) {
        return new StorageException(
                "the work of a projection cannot be committed: " + failure.getMessage(), false, failure);
    }

    /** It was ended by no statement, and no error of the server was passed over in it. */
    private static void requireOpen(Connection connection) throws SQLException {
        switch (state(connection)) {
            case OPEN -> {}
            case IDLE -> throw cannotBeCommitted(ended());
            case FAILED ->
                throw cannotBeCommitted(new ProjectionFailure(
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

    private static ProjectionFailure ended() {
        return failure(
                "a projection ended the transaction that it was handed by a statement, such as COMMIT; what it had done by then may be"
                        + " there for good, and its progress is not: put that right, take the statement away, and resume it");
    }

    private static ProjectionFailure failure(String message) {
        return new ProjectionFailure(FailureKind.FATAL, message, null);
    }
}
