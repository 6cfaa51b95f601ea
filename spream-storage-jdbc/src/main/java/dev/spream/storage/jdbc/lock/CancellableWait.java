package dev.spream.storage.jdbc.lock;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements that wait in the database, run one after the other by one thread, and cancelled by any other. Used once.
 *
 * <p>A cancellation that comes before its statement or after it has no effect. So it is sent again until the work has ended;
 * if that takes long the server is out of reach, and the connection is given up.
 */
final class CancellableWait implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(CancellableWait.class);

    private static final Duration CANCEL_AGAIN = Duration.ofMillis(50);
    private static final Duration GIVE_UP = Duration.ofSeconds(10);

    private final FutureTask<Integer> task;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Statement running;
    private volatile boolean cancelled;

    CancellableWait(CancellableWaits.Work work) {
        this.task = new FutureTask<>(() -> work.run(this));
    }

    /** The work was cancelled because its time was over. Drivers have meanings of their own for what the JDK has for that. */
    static final class TimeOverException extends SQLException {
        private static final long serialVersionUID = 1L;

        TimeOverException(Throwable cause) {
            super("the time for it is over", cause);
        }
    }

    /** What a statement does. */
    interface Execution<T> {
        T run() throws SQLException;
    }

    @Override
    public void run() {
        try {
            task.run();
        } finally {
            done.countDown();
        }
    }

    /**
     * Runs a statement that a cancellation ends; one after a cancellation is not run at all. Called by the work.
     *
     * @throws SQLException as from a statement that was cancelled, too
     */
    <T> T run(Statement statement, Execution<T> execution) throws SQLException {
        running = statement;
        try {
            if (cancelled) {
                throw new SQLException("cancelled before it was run");
            }
            return execution.run();
        } finally {
            running = null;
        }
    }

    /**
     * Waits for the work; if interrupted, or when the time is over, cancels it and waits for its end.
     *
     * @param limit empty if there is none
     * @throws TimeOverException if the time was over
     */
    int result(Optional<Duration> limit) throws SQLException, InterruptedException {
        try {
            return limit.isEmpty() ? task.get() : task.get(limit.get().toNanos(), TimeUnit.NANOSECONDS);
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

    /** It may have had what it waited for before it was cancelled. */
    private int resultInTime() throws SQLException, InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new TimeOverException(e);
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

    /** On another thread, where an interrupt of this one does not close the connection that carries the cancellation. */
    void cancelUntilDone() {
        cancelled = true;
        Thread canceller = Thread.ofVirtual().name("spream-locks-cancel").start(this::cancelAgainAndAgain);
        boolean interrupted = false;
        while (true) {
            try {
                canceller.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void cancelAgainAndAgain() {
        long giveUp = System.nanoTime() + GIVE_UP.toNanos();
        try {
            do {
                Statement statement = running;
                if (statement != null) {
                    cancel(statement, System.nanoTime() - giveUp > 0);
                }
            } while (!done.await(CANCEL_AGAIN.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody knows this thread", e);
        }
    }

    private static void cancel(Statement statement, boolean giveUp) {
        try {
            if (giveUp) {
                statement.getConnection().abort(Runnable::run);
            } else {
                statement.cancel();
            }
        } catch (SQLException e) {
            log.debug("cancelling a wait for locks failed: {}", e.getMessage());
        }
    }
}
