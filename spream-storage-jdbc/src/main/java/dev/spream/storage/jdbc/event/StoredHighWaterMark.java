package dev.spream.storage.jdbc.event;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The high-water mark as stored in the database, for readers that start while a transaction that has inserted is open.
 * It never moves back, unless the sequence did. Users without the right to read or write it do without.
 *
 * <p>A mark is written only after it was made durable, and only if the sequence has reached it, so it is never ahead of
 * the server after a crash, or of a backup that was restored in the meantime.
 *
 * <p>Safe for use by many threads.
 */
final class StoredHighWaterMark {
    private static final Duration PACE = Duration.ofSeconds(1);

    private static final String READ =
            "SELECT m.position AS kept, (%s) AS given FROM @events_mark m".formatted(HighWaterMark.GIVEN);

    private static final String WRITE =
            "UPDATE @events_mark SET position = ? WHERE position < ? AND ? <= (%s)".formatted(HighWaterMark.GIVEN);

    private static final String TAKE_BACK =
            "UPDATE @events_mark SET position = 0 WHERE position > (%s)".formatted(HighWaterMark.GIVEN);

    /** The pause between two attempts while the user or the server may not write. */
    private static final Duration READ_ONLY_PAUSE = Duration.ofSeconds(30);

    private static final String NOT_ALLOWED = "42501";

    private static final String READ_ONLY = "25006";

    private static final Logger log = LoggerFactory.getLogger(StoredHighWaterMark.class);

    private final EventDatabase database;
    private final AtomicBoolean read = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock(); // held while writing
    private long written; // guarded by lock, as all below
    private long nextWrite = System.nanoTime();
    private volatile boolean ahead; // of the sequence, so that it is not valid
    private volatile boolean refused;

    StoredHighWaterMark(EventDatabase database) {
        this.database = database;
    }

    private record Row(long kept, long given) {}

    /**
     * Returns the stored mark; empty if it was read before, or cannot be read. After a failure the next call reads it
     * again.
     */
    OptionalLong read() {
        if (!read.compareAndSet(false, true)) {
            return OptionalLong.empty();
        }
        try {
            return database
                    .rows(
                            "reading the high-water mark of " + database.table() + " from its table",
                            READ,
                            p -> {},
                            row -> new Row(row.getLong("kept"), row.getLong("given")))
                    .stream()
                    .mapToLong(this::trusted)
                    .findFirst();
        } catch (StorageException e) {
            if (e.getCause() instanceof SQLException cause && isNotAllowed(cause)) {
                refused(cause);
                return OptionalLong.empty();
            }
            read.set(false);
            throw e;
        }
    }

    private long trusted(Row row) {
        if (row.kept() <= row.given()) {
            return row.kept();
        }
        ahead = true;
        log.error(
                "[{}] the database has lost positions of events: the last one is {}, {} was read before; {}",
                database.table(),
                row.given(),
                row.kept(),
                HighWaterMark.WHAT_TO_DO);
        return 0;
    }

    /** Called when the sequence moved back, so that the stored mark may be ahead of it. */
    void isAhead() {
        ahead = true;
    }

    /**
     * Stores a durable mark, if it differs from the last one and some time has passed since.
     *
     * @param connection in auto-commit mode, or at the beginning of a transaction, which it commits
     * @param begin the text that begins the first statement
     */
    void write(Connection connection, String begin, long mark) throws SQLException {
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (System.nanoTime() - nextWrite >= 0) {
                writeIfMoved(connection, begin, mark);
            }
        } finally {
            lock.unlock();
        }
    }

    void writeNow(Connection connection, long mark) throws SQLException {
        lock.lock();
        try {
            writeIfMoved(connection, "", mark);
        } finally {
            lock.unlock();
        }
    }

    private void writeIfMoved(Connection connection, String begin, long mark) throws SQLException {
        if (refused || (mark == written && !ahead)) {
            return;
        }
        nextWrite = System.nanoTime() + PACE.toNanos();
        try {
            if (ahead) {
                update(connection, begin, TAKE_BACK);
                ahead = false;
            }
            update(connection, begin, WRITE, mark, mark, mark);
            written = mark;
        } catch (SQLException e) {
            if (isNotAllowed(e)) {
                refused(e);
            } else if (READ_ONLY.equals(e.getSQLState())) {
                nextWrite = System.nanoTime() + READ_ONLY_PAUSE.toNanos();
                log.debug(
                        "[{}] storing the high-water mark failed: {}; next attempt in {} s",
                        database.table(),
                        LoggedFailure.message(e),
                        READ_ONLY_PAUSE.toSeconds());
            } else {
                throw e;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }

    private void update(Connection connection, String begin, String sql, long... values) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(begin + database.table().in(sql))) {
            Parameters parameters = new Parameters(connection, statement);
            for (long value : values) {
                parameters.number(value);
            }
            statement.execute();
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    private static boolean isNotAllowed(SQLException failure) {
        return NOT_ALLOWED.equals(failure.getSQLState());
    }

    private void refused(SQLException cause) {
        if (!refused) {
            refused = true;
            log.info(
                    "[{}] the high-water mark is not stored: {}; a reader that starts while an appending transaction is open reads"
                            + " nothing until it ends. Grant SELECT and UPDATE on {}_mark",
                    database.table(),
                    LoggedFailure.message(cause),
                    database.table());
        }
    }
}
