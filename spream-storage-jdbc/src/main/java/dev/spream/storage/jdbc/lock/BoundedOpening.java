package dev.spream.storage.jdbc.lock;

import dev.spream.core.DurationText;
import dev.spream.lock.LockTimeoutException;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The opening of a connection on a thread of its own, so that its caller can return at its deadline: the wait of a data
 * source, and its reaction to an interrupt, depend on the data source. A connection that arrives too late is returned
 * to it.
 */
final class BoundedOpening {
    private final CompletableFuture<Connection> opened = new CompletableFuture<>();
    private final Consumer<Connection> giveBack;

    interface Opening {
        Connection open() throws InterruptedException;
    }

    private BoundedOpening(Consumer<Connection> giveBack) {
        this.giveBack = giveBack;
    }

    /** @throws LockTimeoutException if no connection was opened in time */
    static Connection within(Duration limit, Opening opening, Consumer<Connection> giveBack)
            throws InterruptedException {
        return new BoundedOpening(giveBack).await(limit, opening);
    }

    private Connection await(Duration limit, Opening opening) throws InterruptedException {
        Thread thread = Thread.ofVirtual().name("spream-locks-begin").start(() -> run(opening));
        try {
            return opened.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            opened.completeExceptionally(new LockTimeoutException(
                    "beginning a handle failed: the pool had no connection within %s; enlarge the pool, or check whether the database answers"
                            .formatted(DurationText.of(limit)),
                    e));
            thread.interrupt();
            return outcome();
        } catch (InterruptedException e) {
            if (!opened.completeExceptionally(e) && !opened.isCompletedExceptionally()) {
                giveBack.accept(opened.join());
            }
            thread.interrupt();
            throw e;
        } catch (ExecutionException e) {
            return outcome();
        }
    }

    private void run(Opening opening) {
        try {
            Connection connection = opening.open();
            if (!opened.complete(connection)) {
                giveBack.accept(connection);
            }
        } catch (Throwable t) {
            opened.completeExceptionally(t);
        }
    }

    private Connection outcome() throws InterruptedException {
        try {
            return opened.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case InterruptedException interruption -> throw interruption;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw e;
            }
        }
    }
}
