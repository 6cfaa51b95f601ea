package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.Engine.SqlWork;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.sql.Errors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A read-only transaction, which holds a connection whose reads all see the database as of {@link #readTimestamp}.
 * Clients do not report the end of a read-only transaction: {@link OpenTransactions} closes it and forgets its id when
 * it was idle for too long, and a schema change closes it. A read of a closed snapshot fails with FAILED_PRECONDITION.
 * Safe for use by many threads, which read one at a time.
 */
public final class Snapshot {
    private final ByteString id;
    private final Instant readTimestamp;
    private final ReentrantLock use = new ReentrantLock();
    private final Connection connection;

    private volatile boolean closed;
    private volatile long lastUsed = System.nanoTime();

    /**
     * Takes the snapshot; the caller makes sure that nothing commits meanwhile.
     *
     * @param connection one of {@link Engine#openSnapshot}, which the snapshot closes
     */
    Snapshot(ByteString id, Instant readTimestamp, Connection connection) throws SQLException {
        this.id = id;
        this.readTimestamp = readTimestamp;
        this.connection = connection;
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    public ByteString id() {
        return id;
    }

    public Instant readTimestamp() {
        return readTimestamp;
    }

    <T> T read(SqlWork<T> work) {
        use.lock();
        try {
            if (closed) {
                throw Errors.failedPrecondition(
                        "The read-only transaction of %s was closed by a schema change or after being idle; begin a new"
                                + " one",
                        readTimestamp);
            }
            return work.run(connection);
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            lastUsed = System.nanoTime();
            use.unlock();
        }
    }

    Duration idleFor() {
        return Duration.ofNanos(System.nanoTime() - lastUsed);
    }

    /** Closes the snapshot, unless it is read: the end of the engine closes it then. */
    void closeUnused() {
        if (use.tryLock()) {
            try {
                close();
            } finally {
                use.unlock();
            }
        }
    }

    void close() {
        use.lock();
        try {
            closed = true;
            connection.close();
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            use.unlock();
        }
    }
}
