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
     * @throws StorageException if it left the transaction so that nothing can be committed; its cause says what that means
     */
    static <R> R run(ProjectionTransaction transaction, Body<R> body) throws SQLException, WorkFailure {
        GuardedConnection guard = new GuardedConnection(transaction.connection());
        R result;
        try {
            result = body.run(guard.view());
        } catch (Exception e) {
            throw new WorkFailure(e);
        } finally {
            guard.end();
        }
        requireOpen(guard);
        return result;
    }

    private static void requireOpen(GuardedConnection guard) throws SQLException {
        try {
            guard.requireOpen();
        } catch (ProjectionFailure e) {
            throw new StorageException("the work of a projection cannot be committed: " + e.getMessage(), false, e);
        }
    }
}
