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
 * The waits of a store, each on a thread of its own: the caller's thread can be interrupted, while an interrupt of a
 * thread that waits in the driver has no effect, or on a virtual thread closes the connection and leaves the wait in
 * the server's queue. Safe for use by many threads.
 */
final class CancellableWaits {
    private final Set<CancellableWait> open = ConcurrentHashMap.newKeySet();
    private final CancellableWait.Limits limits;
    private final BiConsumer<Connection, CancellableWait> onLeftBehind;
    private volatile boolean closed;

    /** @param onLeftBehind receives work that was cancelled and has not ended, before its caller returns */
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
     * @param limit how long it may take; empty if there is no limit
     * @throws CancellableWait.TimeOverException if the time was over; the work has ended all the same, in the database as well
     * @throws InterruptedException if the thread was interrupted; the work has ended all the same, in the database as well,
     *     unless that is out of reach
     * @throws CancellableWait.LeftBehindException if the time was over, and the database is out of reach
     * @throws LockConnectionException if the store was closed meanwhile
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
        return new LockConnectionException("waiting for locks failed: the store of locks is closed", null);
    }

    /** Begins to end all waits, in the database as well. */
    List<BoundedCall> startClosing() {
        closed = true;
        return open.stream().map(CancellableWait::startCancelling).toList();
    }
}
