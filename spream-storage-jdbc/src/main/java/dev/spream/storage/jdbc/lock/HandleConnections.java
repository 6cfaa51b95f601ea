package dev.spream.storage.jdbc.lock;

import dev.spream.core.LoggedFailure;
import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockTurns;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of handles, a limited number at a time. Each is in a transaction from the moment it is taken, and is
 * returned in its former state. The store's own statements have a time limit; other statements on a handle's connection
 * have the limit of the pool. Safe for use by many threads.
 */
final class HandleConnections {
    private static final Logger log = LoggerFactory.getLogger(HandleConnections.class);

    /** The time to get a connection for a call that does not wait for locks; the pool may have to open one. */
    private static final Duration OPENING = Duration.ofSeconds(2);

    /** The minimum time to get a connection for a call whose deadline has nearly passed. */
    private static final Duration LEAST = Duration.ofMillis(250);

    private final DataSource dataSource;
    private final LockSql sql;
    private final DatabaseWaits waits;
    private final int size;
    private final Duration holderTimeout;
    private final int networkTimeoutMillis;
    private final Semaphore permits;
    private final LockTurns turns;
    private final Map<Connection, Handle> taken = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A connection that was taken, with its former state. */
    private static final class Handle {
        private final Connection connection;
        private final GuardedConnection guard;
        private final boolean autoCommit;
        private final int networkTimeout;
        private final AtomicBoolean ending = new AtomicBoolean();
        private volatile @Nullable AcquiredLocks first;
        private volatile Optional<String> mark = Optional.empty();

        Handle(Connection connection) throws SQLException {
            this.connection = connection;
            this.guard = new GuardedConnection(connection, WORK);
            this.autoCommit = connection.getAutoCommit();
            this.networkTimeout = connection.getNetworkTimeout();
        }

        /**
         * Returns true for the first call, whose caller ends the handle: once returned, the connection may belong to
         * another borrower.
         */
        boolean isToBeEnded() {
            return ending.compareAndSet(false, true);
        }
    }

    private static final GuardedConnection.Work WORK = new GuardedConnection.Work(
            "the work of a transaction that holds locks",
            "the transaction is ended when the work returns or throws, and the connection is reused: change settings for"
                    + " the transaction alone",
            true,
            message -> new LockStoreException(message, null));

    /** @param answerTime the time that a server has to answer, before the connection counts as dead */
    HandleConnections(
            DataSource dataSource,
            LockSql sql,
            DatabaseWaits waits,
            int size,
            Duration holderTimeout,
            Duration answerTime) {
        this.networkTimeoutMillis = Math.toIntExact(answerTime.toMillis());
        this.dataSource = dataSource;
        this.sql = sql;
        this.waits = waits;
        this.size = size;
        this.holderTimeout = holderTimeout;
        this.permits = new Semaphore(size, true);
        this.turns = LockTurns.of(size);
    }

    LockTurns turns() {
        return turns;
    }

    /** Returns a guarded connection; {@link #end} returns it to the pool. */
    Connection begin(LockDeadline deadline) throws InterruptedException {
        acquirePermit(deadline);
        Duration least = deadline.isImmediate() ? OPENING : LEAST;
        Optional<Duration> left = deadline.left().map(time -> time.compareTo(least) < 0 ? least : time);
        Connection lent =
                left.isEmpty() ? openOrRelease() : BoundedOpening.within(left.get(), this::openOrRelease, this::end);
        if (closed) {
            end(lent);
            throw storeClosed();
        }
        return lent;
    }

    private Connection openOrRelease() throws InterruptedException {
        try {
            return open();
        } catch (Throwable t) {
            permits.release();
            throw t;
        }
    }

    private static LockConnectionException storeClosed() {
        return new LockConnectionException("beginning a handle failed: the lock store is closed", null);
    }

    private void acquirePermit(LockDeadline deadline) throws InterruptedException {
        if (permits.tryAcquire(0, TimeUnit.NANOSECONDS)) {
            return;
        }
        LockTurns.Shortage shortage = turns.shortage();
        try {
            awaitPermit(deadline);
        } finally {
            shortage.end();
        }
    }

    private void awaitPermit(LockDeadline deadline) throws InterruptedException {
        Optional<Duration> left = deadline.left();
        if (left.isEmpty()) {
            permits.acquire();
        } else if (!permits.tryAcquire(left.get().toNanos(), TimeUnit.NANOSECONDS)) {
            throw new LockTimeoutException(
                    "beginning a handle failed: all %d connections for handles are in use; release handles sooner, or raise their number with handles(n)"
                            .formatted(size),
                    null);
        }
    }

    private Connection open() throws InterruptedException {
        if (closed) {
            throw storeClosed();
        }
        try {
            Connection connection = dataSource.getConnection();
            try {
                Handle handle = new Handle(connection);
                prepare(connection);
                Connection lent = handle.guard.view();
                taken.put(lent, handle);
                return lent;
            } catch (SQLException | RuntimeException e) {
                try (connection) {
                    throw e;
                }
            }
        } catch (SQLException e) {
            if (Thread.interrupted()) {
                InterruptedException interruption = new InterruptedException("interrupted while a handle began");
                interruption.initCause(e);
                throw interruption;
            }
            throw sql.exception("beginning a handle", e);
        }
    }

    private void prepare(Connection connection) throws SQLException {
        inTime(connection, real -> {
            sql.begin(real, holderTimeout);
            return true;
        });
    }

    interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /**
     * Queries the connection behind the guarded one, with a time limit if it is a handle's; for other connections the
     * caller sets the limit.
     */
    <T> T ask(Connection connection, Question<T> question) throws SQLException {
        Handle handle = taken.get(connection);
        return handle == null ? question.ask(connection) : inTime(handle.connection, question);
    }

    /** Returns the connection itself, behind the guarded view that a handle or its work has. */
    Connection behind(Connection connection) {
        Handle handle = taken.get(connection);
        return handle == null ? connection : handle.connection;
    }

    private <T> T inTime(Connection connection, Question<T> question) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
        try {
            return question.ask(connection);
        } finally {
            setBack(connection, before);
        }
    }

    private static void setBack(Connection connection, int networkTimeout) {
        try {
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException e) {
            log.debug("a connection broke while the lock store queried it", LoggedFailure.of(e));
        }
    }

    /** Rolls back if the connection is open; closes it if that fails, so that the server rolls back. */
    void rollback(Connection connection) {
        if (waits.isLeftBehind(behind(connection))) {
            return; // the connection is aborted, so the server rolls back
        }
        try {
            if (!behind(connection).isClosed()) {
                ask(connection, real -> {
                    real.rollback();
                    if (isUsedByOthers(connection)) {
                        sql.refuseChanges(real);
                    }
                    return true;
                });
                ended(connection);
            }
        } catch (SQLException e) {
            log.debug(
                    "rolling back failed; the connection is closed, and the server releases its locks",
                    LoggedFailure.of(e));
            closeHard(behind(connection));
        }
    }

    /** Returns whether user code has this connection: it is a caller's, or a handle's that was lent to work. */
    private boolean isUsedByOthers(Connection connection) {
        Handle handle = taken.get(connection);
        return handle == null || handle.mark.isPresent();
    }

    /** Called when a transaction has ended: the next statement on that connection begins another. */
    void ended(Connection connection) {
        Handle handle = taken.get(connection);
        if (handle != null) {
            handle.first = null;
            handle.mark = Optional.empty();
        }
    }

    /** Marks a handle's transaction before its connection is passed to work. */
    void lend(Connection lent) throws SQLException {
        Handle handle = taken.get(lent);
        AcquiredLocks first = handle == null ? null : handle.first;
        if (handle == null || first == null) {
            throw new IllegalStateException("the transaction holds no locks; acquire locks before running work");
        }
        handle.mark = Optional.of(inTime(handle.connection, real -> sql.mark(real, first)));
    }

    /** Commits the transaction; if it was lent, only if it is still the marked one. */
    void commit(Connection transaction) throws SQLException {
        Handle handle = taken.get(transaction);
        Optional<String> mark = handle == null ? Optional.empty() : handle.mark;
        ask(transaction, real -> {
            if (mark.isPresent()) {
                sql.commitMarked(real, mark.get());
            } else {
                real.commit();
            }
            return true;
        });
        ended(transaction);
    }

    /** Returns whether a handle's transaction on that connection has had no statement yet. */
    boolean isUnused(Connection connection) {
        Handle handle = taken.get(connection);
        return handle != null && handle.first == null;
    }

    /** Takes locks by {@code byFirst} in the first statement of a handle's transaction, or else by {@code byOther}. */
    AcquiredLocks take(Connection connection, Question<AcquiredLocks> byFirst, Question<AcquiredLocks> byOther)
            throws SQLException {
        Handle handle = taken.get(connection);
        if (handle == null) {
            AcquiredLocks taken = byOther.ask(connection);
            return new AcquiredLocks(taken.count(), taken.session(), sql.name(connection, taken));
        }
        if (handle.first != null) {
            return inTime(handle.connection, byOther);
        }
        AcquiredLocks first = inTime(handle.connection, byFirst);
        handle.first = first;
        return first;
    }

    /** Ends the handle; no effect if it has ended already. */
    void end(Connection lent) {
        Handle handle = taken.remove(lent);
        if (handle != null && handle.isToBeEnded()) {
            end(handle);
        }
    }

    private void end(Handle handle) {
        handle.guard.end();
        waits.whenFree(handle.connection, () -> giveBack(handle));
    }

    private void giveBack(Handle handle) {
        try (Connection connection = handle.connection) {
            reset(connection, handle);
        } catch (SQLException e) {
            log.debug(
                    "the connection of an ended handle could not be returned to the pool; its locks are released, at the latest when the server notices that the connection is lost",
                    LoggedFailure.of(e));
        } finally {
            permits.release();
        }
    }

    /** Restores the former state of a connection; closes it if that fails, so that it is not used again. */
    private void reset(Connection connection, Handle handle) {
        try {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
                connection.rollback();
                sql.restore(connection, handle.autoCommit);
                connection.setNetworkTimeout(Runnable::run, handle.networkTimeout);
            }
        } catch (SQLException e) {
            log.debug(
                    "the connection of an ended handle could not be reset and is closed; the server releases its locks when it notices that",
                    LoggedFailure.of(e));
            closeHard(connection);
        }
    }

    void refuse() {
        closed = true;
    }

    /**
     * Starts to close the connections of the open handles. They stay registered until their users end them; a call in
     * progress fails with the error of a closed connection.
     */
    List<BoundedCall> startClosing() {
        refuse();
        return taken.values().stream()
                .filter(Handle::isToBeEnded)
                .map(handle -> BoundedCall.start("closing the connection of a handle", () -> {
                    closeHard(handle.connection);
                    end(handle);
                }))
                .toList();
    }

    private static void closeHard(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("closing a connection failed", LoggedFailure.of(e));
        }
    }
}
