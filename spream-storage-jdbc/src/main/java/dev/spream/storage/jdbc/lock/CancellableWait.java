package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waiting statements, run one after the other by one thread, which any other thread can cancel. Used once.
 *
 * <p>A cancellation that arrives before or after its statement has no effect, so it is repeated until the work has
 * ended. If that takes too long, the server is unreachable and the connection is aborted. If the work still does not
 * end, it is abandoned with its connection.
 */
final class CancellableWait implements Runnable, LockSql.Waiting {
    static final Duration LONGEST_CANCELLATION = Limits.OF_SERVERS.longestCancellation();

    /**
     * The time limits of a cancellation.
     *
     * @param again the time until the cancellation is repeated
     * @param abort the time until the connection is aborted
     * @param leave the time until the work is abandoned
     */
    record Limits(Duration again, Duration abort, Duration leave) {
        static final Limits OF_SERVERS =
                new Limits(Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(7));

        private Duration longestCancellation() {
            return leave.plusSeconds(1);
        }
    }

    private final Connection connection;
    private final CancellableWaits.Work work;
    private final Limits limits;
    private final CompletableFuture<Integer> outcome = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Statement running;
    private volatile boolean cancelled;
    private volatile @Nullable BoundedCall cancellation; // written under the monitor

    /** @param connection the connection of the work, as the driver or the pool knows it */
    CancellableWait(Connection connection, CancellableWaits.Work work, Limits limits) {
        this.connection = connection;
        this.work = work;
        this.limits = limits;
    }

    /**
     * Thrown when the work was cancelled because its time limit was exceeded. Drivers use the JDK's exception for other
     * purposes.
     */
    static final class TimeOverException extends SQLException {
        private static final long serialVersionUID = 1L;

        TimeOverException(Throwable cause) {
            super("it timed out", cause);
        }
    }

    /** Thrown when the work was cancelled, its connection was aborted, and it did not end. */
    static final class LeftBehindException extends SQLException {
        private static final long serialVersionUID = 1L;

        LeftBehindException() {
            super("the server does not answer; the connection is closed", "08006");
        }
    }

    @Override
    public void run() {
        try {
            int taken = work.run(this);
            awaitCancellation();
            outcome.complete(taken);
        } catch (Throwable t) {
            awaitCancellation();
            outcome.completeExceptionally(t);
        }
    }

    /**
     * Waits for a running cancellation: a late one would cancel the next statement of the connection, which may belong
     * to another borrower.
     */
    private void awaitCancellation() {
        ended.countDown();
        BoundedCall cancelling = cancellation;
        if (cancelling != null) {
            cancelling.await(limits.longestCancellation());
        }
    }

    /** Called by the work, on its thread. */
    @Override
    public <T> T run(Statement statement, LockSql.Execution<T> execution) throws SQLException {
        running = statement;
        try {
            if (cancelled) {
                throw new SQLException("cancelled before it was executed");
            }
            return execution.run();
        } finally {
            running = null;
        }
    }

    /**
     * Waits for the result of the work. If interrupted or at the time limit, cancels the work and waits for its end.
     *
     * @param limit the time limit; empty for none
     * @throws TimeOverException if the time limit was exceeded
     * @throws LeftBehindException if the work was cancelled and did not end
     */
    int result(Optional<Duration> limit) throws SQLException, InterruptedException {
        try {
            return limit.isEmpty() ? outcome.get() : outcome.get(limit.get().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            cancelUntilDone();
            return resultInTime();
        } catch (InterruptedException e) {
            cancelUntilDone();
            throw e;
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /** Returns the result despite the cancellation if the work had already acquired the lock. */
    private int resultInTime() throws SQLException, InterruptedException {
        try {
            return outcome.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LeftBehindException leftBehind ? leftBehind : new TimeOverException(e);
        }
    }

    private static SQLException failure(ExecutionException e) {
        return switch (e.getCause()) {
            case SQLException sql -> sql;
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            case null, default -> throw new IllegalStateException(e);
        };
    }

    /** Returns whether the caller has an outcome although the work is still running and uses its connection. */
    boolean isLeftBehind() {
        return outcome.isDone() && ended.getCount() > 0;
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    void cancelUntilDone() {
        startCancelling().await(limits.longestCancellation());
    }

    /**
     * Starts the cancellation on another thread, where an interrupt of this one does not close the connection of the
     * cancellation. The thread ends after the last attempt.
     */
    synchronized BoundedCall startCancelling() {
        cancelled = true;
        BoundedCall started = cancellation;
        if (started == null) {
            started = BoundedCall.start("cancelling a wait for locks", this::cancelAgainAndAgain);
            cancellation = started;
        }
        return started;
    }

    /**
     * Runs each attempt on a thread of its own, because it may block: a driver opens a connection to cancel, and
     * notifies the server before it aborts.
     */
    private void cancelAgainAndAgain() throws InterruptedException {
        long start = System.nanoTime();
        BoundedCall attempt = cancel();
        boolean aborted = false;
        while (!ended.await(limits.again().toNanos(), TimeUnit.NANOSECONDS)) {
            long passed = System.nanoTime() - start;
            if (passed > limits.leave().toNanos()) {
                outcome.completeExceptionally(new LeftBehindException());
                return;
            }
            if (passed > limits.abort().toNanos() && !aborted) {
                aborted = true;
                attempt = BoundedCall.start("aborting a connection", () -> connection.abort(Runnable::run));
            } else if (!aborted && !attempt.isRunning()) {
                attempt = cancel();
            }
        }
        attempt.await(limits.leave());
        if (attempt.isRunning() && !aborted) {
            BoundedCall.start("aborting a connection", () -> connection.abort(Runnable::run))
                    .await(limits.again());
        }
    }

    private BoundedCall cancel() {
        Statement statement = running;
        return BoundedCall.start("cancelling a statement", () -> {
            if (statement != null) {
                statement.cancel();
            }
        });
    }
}
