package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The high-water mark: the position up to which no further event can appear. A transaction that inserts holds a shared
 * lock until it ends, so a reader that gets the lock exclusively can read every event inserted before. It requests the
 * lock for a short time only, because further shared requests queue behind an exclusive one.
 *
 * <p>A mark is valid once it would survive a crash of the server: otherwise the sequence could resume below it, and new
 * events would get positions that readers have already processed. A separate transaction makes it durable after the
 * lock was released, so that no insert waits for the disk; it uses the same connection, so that a crash between the two
 * is detected. The mark is then stored for readers that start later.
 *
 * <p>Safe for use by many threads.
 */
final class HighWaterMark {
    /**
     * The maximum time to wait for the lock: too short to delay inserts noticeably, and longer than most transactions
     * are open.
     */
    private static final Duration WAIT = Duration.ofMillis(20);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration MAX_PAUSE = Duration.ofMillis(80);
    private static final int MAX_DOUBLINGS = 10;

    /**
     * The number of attempts of a read to reach the newest events, which take a quarter of a second or more together.
     */
    private static final int ATTEMPTS = 8;

    static final String WHAT_TO_DO =
            "it was restored from a backup, or an incomplete standby was promoted: readers beyond the last position would miss"
                    + " new events; restart them at a position that still exists, or advance the sequence past theirs";

    static final String GIVEN =
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS given FROM @events_position_seq";
    private static final String MARK = "SELECT @events_mark(?, ?::int) AS mark";
    private static final String FLUSH = "SELECT @events_flush()";

    private static final Logger log = LoggerFactory.getLogger(HighWaterMark.class);

    private final EventDatabase database;
    private final RecentEvents recent;
    private final StoredHighWaterMark kept;
    private final AtomicLong known = new AtomicLong();
    private final AtomicInteger losses = new AtomicInteger();

    /** {@code recent} is cleared when the database has lost positions. */
    HighWaterMark(EventDatabase database, RecentEvents recent) {
        this.database = database;
        this.recent = recent;
        this.kept = new StoredHighWaterMark(database);
    }

    /** Starts from the stored mark on the first call. */
    void recall() {
        kept.read().ifPresent(this::learn);
    }

    /**
     * Stores the mark for readers that start later, about once a second, on this connection, which is in auto-commit
     * mode.
     */
    void keep(Connection connection) throws SQLException {
        kept.write(connection, "", known());
    }

    void keepNow(Connection connection) throws SQLException {
        kept.writeNow(connection, known());
    }

    /** Returns the last mark that was found; 0 before the first. */
    long known() {
        return known.get();
    }

    /**
     * Returns the number of times that the database was found to have lost positions. After a loss, a reader must not
     * continue from a position read before.
     */
    int losses() {
        return losses.get();
    }

    /** Requires that the position was assigned and not lost since; returns the last assigned position. */
    long requireGiven(long position) {
        long given = database.row(
                "looking for the last position of " + database.table(), GIVEN, p -> {}, row -> row.getLong("given"));
        if (given < position) {
            throw lost(position);
        }
        return given;
    }

    /** Returns the current mark, or the last known one while a transaction that has inserted stays open. */
    long now() {
        recall();
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            long before = known();
            OptionalLong mark = ask(before);
            if (mark.isPresent()) {
                requireNotBelow(before, mark.getAsLong());
                return learn(mark.getAsLong());
            }
            LockSupport.parkNanos(pause(attempt).toNanos());
        }
        return known();
    }

    private OptionalLong ask(long before) {
        try {
            return database.transactions().run(connection -> {
                OptionalLong mark = mark(connection, database.transactions().begin(), before);
                connection.commit(); // releases the lock
                if (isMore(mark, before)) {
                    flush(connection, database.transactions().begin());
                    connection.commit();
                    kept.write(connection, database.transactions().begin(), mark.getAsLong());
                }
                return mark;
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException("looking for new events in " + database.table(), e);
        }
    }

    /**
     * Makes one attempt on this connection, which is in auto-commit mode. Empty if a transaction that has inserted is
     * open, or if the database has lost positions and all is read again.
     */
    OptionalLong look(Connection connection) throws SQLException {
        long before = known();
        OptionalLong mark = mark(connection, "", before);
        if (isMore(mark, before)) {
            flush(connection, "");
        }
        if (mark.isPresent() && hasRegressed(before, mark.getAsLong())) {
            return OptionalLong.empty();
        }
        mark.ifPresent(this::learn);
        return mark;
    }

    private OptionalLong mark(Connection connection, String begin, long before) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(begin + database.table().in(MARK))) {
            new Parameters(connection, statement).number(before).number(WAIT.toMillis());
            try (ResultSet row = result(statement)) {
                row.next();
                long mark = row.getLong("mark");
                return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(mark);
            }
        }
    }

    private void flush(Connection connection, String begin) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(begin + database.table().in(FLUSH))) {
            statement.execute();
        }
    }

    /** Returns the result of the last statement; those before it begin the transaction. */
    private static ResultSet result(PreparedStatement statement) throws SQLException {
        boolean isResult = statement.execute();
        while (!isResult) {
            isResult = statement.getMoreResults();
        }
        return statement.getResultSet();
    }

    private static boolean isMore(OptionalLong mark, long before) {
        return mark.isPresent() && mark.getAsLong() > before;
    }

    private long learn(long mark) {
        return known.accumulateAndGet(mark, Math::max);
    }

    private void requireNotBelow(long before, long mark) {
        if (hasRegressed(before, mark)) {
            throw lost(before);
        }
    }

    /** Returns whether known positions are lost; if so, clears them. */
    private boolean hasRegressed(long before, long mark) {
        if (mark >= before) {
            return false;
        }
        if (known.compareAndSet(before, 0)) {
            recent.forget(); // before any reader can begin again
            kept.isAhead();
            losses.incrementAndGet();
            recent.wakeAll();
            log.error(
                    "[{}] the database has lost positions of events: the last one is {}, it was {} before; {}",
                    database.table(),
                    mark,
                    before,
                    WHAT_TO_DO);
        }
        return true;
    }

    StorageException lost(long position) {
        return SqlErrors.permanent(
                "reading new events of %s after position %d failed: the database has lost assigned positions; %s"
                        .formatted(database.table(), position, WHAT_TO_DO));
    }

    /** Returns the pause before the next attempt, so that others can insert: longer after each, and random. */
    static Duration pause(int attempts) {
        long most = Math.min(FIRST_PAUSE.toNanos() << Math.min(attempts, MAX_DOUBLINGS), MAX_PAUSE.toNanos());
        return Duration.ofNanos(most / 2 + ThreadLocalRandom.current().nextLong(most / 2));
    }
}
