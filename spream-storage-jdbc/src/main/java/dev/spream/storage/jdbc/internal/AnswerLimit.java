package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits the time of a statement with many rows by one timer. A timeout of the socket would cost more: with it, a virtual
 * thread schedules and cancels a task for each read that it waits in.
 */
final class AnswerLimit {
    private static final String CONNECTION_FAILURE = "08006";

    private AnswerLimit() {}

    /**
     * Runs the work, and closes the connection if it is not done within the limit. Removes the timeout of the socket, which
     * the caller restores.
     */
    static <T> T run(Connection connection, Duration limit, Transactions.Work<T, RuntimeException> work)
            throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 0);
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> unused =
                done.orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS).exceptionally(late -> abort(connection));
        T result;
        boolean inTime;
        try {
            result = work.run(connection);
        } finally {
            inTime = done.complete(null);
        }
        if (!inTime) {
            throw new SQLException("the server did not answer within " + limit, CONNECTION_FAILURE);
        }
        return result;
    }

    /** Closes the socket on a thread of its own, since the end of an encrypted session may wait for the server. */
    private static @Nullable Void abort(Connection connection) {
        try {
            connection.abort(Thread::startVirtualThread);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return null;
    }
}
