package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.core.projection.ProjectionFailure;
import java.sql.Connection;
import java.sql.SQLException;

/** Runs a projection's code in a transaction, and tells its failures from those of the store. */
final class FencedWork {
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
        GuardedConnection guard = new GuardedConnection(transaction.connection());
        R result;
        try {
            result = body.run(guard.view());
        } catch (Exception e) {
            guard.end();
            requireUndone(transaction, guard, e);
            throw new WorkFailure(e);
        } finally {
            guard.end();
        }
        requireOpen(guard);
        return result;
    }

    /** What it has committed by itself would be done twice if it were tried again. */
    private static void requireUndone(ProjectionTransaction transaction, GuardedConnection guard, Exception thrown) {
        boolean ended;
        try {
            ended = switch (guard.state()) {
                case IDLE -> true;
                case OPEN -> !HandedTransaction.isKept(transaction);
                case FAILED -> false; // the server answers nothing more
            };
        } catch (SQLException e) {
            thrown.addSuppressed(e);
            return;
        }
        if (ended) {
            StorageException failure = cannotBeCommitted(GuardedConnection.ended());
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
            throw cannotBeCommitted(GuardedConnection.ended());
        }
    }

    private static StorageException cannotBeCommitted(ProjectionFailure failure) {
        return new StorageException(
                "the work of a projection cannot be committed: " + failure.getMessage(), false, failure);
    }

    private static void requireOpen(GuardedConnection guard) throws SQLException {
        try {
            guard.requireOpen();
        } catch (ProjectionFailure e) {
            throw cannotBeCommitted(e);
        }
    }
}
