package dev.spream.storage.jdbc.lock;

import dev.spream.core.lock.PlannedLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for locks in the database, each ended when its time is over, by an interrupt, or by {@link #close}. Safe for use by
 * many threads.
 */
final class DatabaseWaits implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseWaits.class);

    /** What is longer has no end: servers and drivers count milliseconds by an int. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(24);

    /**
     * The server ends a wait by its own clock, as a rule. PostgreSQL begins to count anew when a waiter for a row comes to the
     * head of the queue, so that it is ended from here.
     */
    private static final Duration SERVER_FIRST = Duration.ofMillis(50);

    private final LockSql sql;
    private final CancellableWaits waits = new CancellableWaits();

    DatabaseWaits(LockSql sql) {
        this.sql = sql;
    }

    /**
     * Waits for the first of the locks, and may take some of the following. The connection must not count as dead because the
     * server does what it was asked to do, which is to wait.
     *
     * @param time more than zero; empty if there is no end
     * @return how many were taken
     * @throws CancellableWait.TimeOverException if the time is over
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
                    left.map(wait -> wait.plus(SERVER_FIRST)),
                    wait -> sql.lock(transaction, locks, left, wait));
        } finally {
            restore(transaction, networkTimeout);
        }
    }

    private static int answerWithin(Duration wait) {
        return Math.toIntExact(wait.plus(JdbcLockStore.ANSWER_TIME).toMillis());
    }

    private static void restore(Connection transaction, int networkTimeout) {
        try {
            if (!transaction.isClosed()) {
                transaction.setNetworkTimeout(Runnable::run, networkTimeout);
            }
        } catch (SQLException e) {
            log.debug("a connection broke while it waited for a lock", e);
        }
    }

    /** Ends all waits, in the database as well. */
    @Override
    public void close() {
        waits.close();
    }
}
