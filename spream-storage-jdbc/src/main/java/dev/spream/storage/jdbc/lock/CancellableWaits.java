package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockConnectionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Runs the waits of a store, each on a thread of its own, so that callers can be interrupted: an interrupt of a thread
 * that waits in the driver has no effect, or, on a virtual thread, closes the connection and leaves the wait in the
 * server's queue. Safe for use by many threads.
 */
final class CancellableWaits {
    private final Set<CancellableWait> open = ConcurrentHashMap.newKeySet();
    private final CancellableWait.Limits limits;
    private final BiConsumer<Connection, CancellableWait> onLeftBehind;
    private volatile boolean closed;

    /** @param onLeftBehind called before the caller returns, with work that was cancelled and has not ended */
    CancellableWaits(CancellableWait.Limits limits, BiConsumer<Connection, CancellableWait> onLeftBehind) {
        this.limits = limits;
        this.onLeftBehind = onLeftBehind;
    }

    interface Work {
        int run(CancellableWait wait) throws SQLException;
    }

    /**
     * Runs the work and returns what it returns, or throws what it throws.
     *
     * @param limit the time limit; empty for none
     * @throws CancellableWait.TimeOverException if the time limit was exceeded; the work has ended, in the database as
     *     well
     * @throws InterruptedException if the thread was interrupted; the work has ended, in the database as well unless it
     *     is unreachable
     * @throws CancellableWait.LeftBehindException if the time limit was exceeded and the database is unreachable
     * @throws LockConnectionException if the store was closed in the meantime
     */
    int call(String thread, Connection connection, Optional<Duration> limit, Work work)
            throws SQLException, InterruptedException {
        CancellableWait wait = new CancellableWait(connection, work, limits);
        open.add(wait);
        try {
            Thread.ofVirtual().name(thread).start(wait);
            if (closed) {
                wait.cancelUntilDone();
            }
            return wait.result(limit);
        } catch (SQLException e) {
            if (closed) {
                throw closed();
            }
            throw e;
        } finally {
            open.remove(wait);
            if (wait.isLeftBehind()) {
                onLeftBehind.accept(connection, wait);
            }
        }
    }

    private static LockConnectionException closed() {
        return new LockConnectionException("waiting for locks failed: the lock store is closed", null);
    }

    /** Starts to cancel all waits, in the database as well. */
    List<BoundedCall> startClosing() {
        closed = true;
        return open.stream().map(CancellableWait::startCancelling).toList();
    }
}
