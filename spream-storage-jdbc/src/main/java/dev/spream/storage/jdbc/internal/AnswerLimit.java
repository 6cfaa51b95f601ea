package dev.spream.storage.jdbc.internal;

import dev.spream.core.DurationText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes the connection of a read of many rows whose server does not answer. A timeout of the socket would cost more:
 * with it, a virtual thread schedules and cancels a task for each wait on the socket, and a large read has hundreds.
 */
final class AnswerLimit {
    private static final String CONNECTION_FAILURE = "08006";

    private final Connection connection;
    private final Duration limit;
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private volatile boolean answered; // since the last look

    /** A read, which reports each row that has come. */
    interface Read<T> {
        T read(AnswerLimit limit) throws SQLException;
    }

    private AnswerLimit(Connection connection, Duration limit) {
        this.connection = connection;
        this.limit = limit;
    }

    /**
     * Runs the read, and closes the connection if nothing comes for the limit, or, after rows, for twice the limit at
     * most. Removes the timeout of the socket, which the caller restores.
     */
    static <T> T run(Connection connection, Duration limit, Read<T> read) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 0);
        AnswerLimit watch = new AnswerLimit(connection, limit);
        watch.look();
        T result;
        try {
            result = read.read(watch);
        } catch (SQLException e) {
            throw watch.endsInTime() ? e : watch.late(e);
        } finally {
            if (!watch.endsInTime()) {
                connection.abort(Runnable::run); // now: what the timer has begun must not end a later user's work
            }
        }
        if (!watch.endsInTime()) {
            throw watch.late(null);
        }
        return result;
    }

    private boolean endsInTime() {
        done.complete(null);
        return !done.isCompletedExceptionally();
    }

    private SQLException late(@Nullable SQLException cause) {
        return new SQLException(
                "the server did not answer within " + DurationText.of(limit), CONNECTION_FAILURE, cause);
    }

    void answered() {
        if (!answered) {
            answered = true;
        }
    }

    private void look() {
        CompletableFuture<@Nullable Void> unused = done.copy()
                .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(late -> {
                    if (answered) {
                        answered = false;
                        look();
                    } else if (done.completeExceptionally(late)) {
                        Thread.startVirtualThread(this::abort); // a pool may wait in it
                    }
                    return null;
                });
    }

    /** Closes the socket on a thread of its own, since the end of an encrypted session may wait for the server. */
    private void abort() {
        try {
            connection.abort(Thread::startVirtualThread);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
