package dev.spream.storage.jdbc.lock;

import dev.spream.core.LoggedFailure;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs waits for locks in the database. Each ends at its deadline, by an interrupt, or by {@link #startClosing}. A wait
 * that does not end, because the server is unreachable, is abandoned with its connection. Safe for use by many threads.
 */
final class DatabaseWaits {
    private static final Logger log = LoggerFactory.getLogger(DatabaseWaits.class);

    /** The longest time limit; longer times are unlimited, because servers and drivers count milliseconds in an int. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(24);

    /**
     * The time by which the server's own limit precedes cancellation from here. The server usually ends a wait itself,
     * but PostgreSQL restarts its timeout when the waiter for a row reaches the head of the queue; such a wait is
     * cancelled from here.
     */
    private static final Duration SERVER_FIRST = Duration.ofMillis(50);

    private final LockSql sql;
    private final CancellableWaits waits = new CancellableWaits(CancellableWait.Limits.OF_SERVERS, this::abandon);
    private final Map<Connection, CancellableWait> leftBehind = Collections.synchronizedMap(new IdentityHashMap<>());

    DatabaseWaits(LockSql sql) {
        this.sql = sql;
    }

    /**
     * Waits for the first of the locks, and may take some of the following. The connection's network timeout is raised
     * during the wait.
     *
     * @param time the time limit, more than zero; empty for none
     * @return the number of locks that were taken
     * @throws CancellableWait.TimeOverException if the time limit was exceeded
     */
    int lock(Connection transaction, List<PlannedLock> locks, Optional<Duration> time)
            throws SQLException, InterruptedException {
        Optional<Duration> left = time.filter(wait -> wait.compareTo(LONGEST_WAIT) <= 0);
        int networkTimeout = transaction.getNetworkTimeout();
        transaction.setNetworkTimeout(
                Runnable::run, left.map(DatabaseWaits::answerWithin).orElse(0));
        try {
            return waits.call(
                    "spream-locks-wait-" + locks.getFirst().key(),
                    transaction,
                    left.map(wait -> wait.plus(SERVER_FIRST)),
                    wait -> sql.lock(transaction, locks, left, wait));
        } finally {
            restore(transaction, networkTimeout);
        }
    }

    private static int answerWithin(Duration wait) {
        return Math.toIntExact(wait.plus(JdbcLockStore.ANSWER_TIME).toMillis());
    }

    private void restore(Connection transaction, int networkTimeout) {
        try {
            if (!isLeftBehind(transaction) && !transaction.isClosed()) {
                transaction.setNetworkTimeout(Runnable::run, networkTimeout);
            }
        } catch (SQLException e) {
            log.debug("a connection broke while it waited for a lock", LoggedFailure.of(e));
        }
    }

    private void abandon(Connection connection, CancellableWait wait) {
        leftBehind.put(connection, wait);
        log.warn(
                "a connection that waits for a lock does not answer; it is aborted, and returned to the pool when its driver has closed it");
        whenFree(connection, () -> leftBehind.remove(connection));
    }

    /** Returns whether a wait was abandoned on that connection, so that any call on it may block equally long. */
    boolean isLeftBehind(Connection connection) {
        return leftBehind.containsKey(connection);
    }

    /** Runs the action once no abandoned wait uses that connection: at once, or later on a thread of its own. */
    void whenFree(Connection connection, Runnable action) {
        CancellableWait wait = leftBehind.get(connection);
        if (wait == null) {
            action.run();
            return;
        }
        BoundedCall.start("returning a connection that does not answer", () -> {
            wait.awaitEnd();
            action.run();
        });
    }

    /** Starts to cancel all waits, in the database as well. */
    List<BoundedCall> startClosing() {
        return waits.startClosing();
    }
}
