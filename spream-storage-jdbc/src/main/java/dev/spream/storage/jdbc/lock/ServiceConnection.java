package dev.spream.storage.jdbc.lock;

import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.SectionLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is kept for short statements, so that a holder can always get an epoch, even when waiters for its
 * locks use all other connections of the pool. It is in auto-commit mode, and replaced after it broke.
 *
 * <p>Safe for use by many threads, one statement at a time.
 */
final class ServiceConnection implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServiceConnection.class);

    private final DataSource dataSource;
    private final int networkTimeoutMillis;
    private final SectionLock lock = new SectionLock();
    private @Nullable Connection connection; // guarded by lock
    private boolean closed; // guarded by lock

    /** @param timeLimit the time that a server has to answer, before the connection counts as dead */
    ServiceConnection(DataSource dataSource, Duration timeLimit) {
        this.dataSource = dataSource;
        this.networkTimeoutMillis = Math.toIntExact(timeLimit.toMillis());
    }

    /**
     * Runs work that may be repeated. If the kept connection turns out to be broken, runs the work once more on a new
     * one.
     */
    <T> T run(HandleConnections.Question<T> work) throws SQLException {
        lock.lock();
        try {
            if (connection != null) {
                try {
                    return work.ask(connection);
                } catch (SQLException e) {
                    if (connection.isValid(1)) {
                        throw e;
                    }
                    log.debug("the connection kept for epochs is broken, opening another", LoggedFailure.of(e));
                    discard();
                }
            }
            return work.ask(open());
        } finally {
            lock.unlock();
        }
    }

    private Connection open() throws SQLException {
        if (closed) {
            throw new SQLException("the lock store is closed", "08003");
        }
        Connection opened = dataSource.getConnection();
        connection = opened;
        opened.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
        opened.setAutoCommit(true);
        return opened;
    }

    private void discard() {
        if (connection == null) {
            return;
        }
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("closing the connection kept for epochs failed", LoggedFailure.of(e));
        }
        connection = null;
    }

    @Override
    public void close() {
        lock.run(() -> {
            closed = true;
            discard();
        });
    }
}
