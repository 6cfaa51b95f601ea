package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.postgresql.PGConnection;

/**
 * One connection of the {@link Tailer}: awake while events arrive, asleep when none has arrived for a moment. Confined
 * to its thread.
 *
 * <p>Asleep, it holds a shared lock, which makes inserting transactions notify. It reads once more after it has the
 * lock: this read returns earlier inserts, and later inserts notify.
 */
final class TailSession {
    /** The pause between two reads, because each read that finds events delays inserts for a moment. */
    private static final Duration PACE = Duration.ofMillis(10);

    private static final Duration IDLE = Duration.ofMillis(150);

    /** The interval of its own reads while asleep. */
    private static final Duration SLEEP = Duration.ofSeconds(1);

    private static final Duration LOOK_UP = Duration.ofMillis(200);
    private static final Duration ANSWER_TIME = Duration.ofSeconds(10);

    private static final int MAX_ROWS = 2_000;

    private static final String FALL_ASLEEP =
            "SELECT pg_advisory_lock_shared(%d, '@events'::regclass::oid::int)".formatted(EventTable.SLEEPERS);
    private static final String WAKE_UP =
            "SELECT pg_advisory_unlock_shared(%d, '@events'::regclass::oid::int)".formatted(EventTable.SLEEPERS);
    private static final String LEAVE = "UNLISTEN *; SELECT pg_advisory_unlock_all()";

    private final Connection connection;
    private final EventDatabase database;
    private final HighWaterMark mark;
    private final RecentEvents recent;
    private final Tailer tailer;
    private final BlockedBarrier shut;
    private boolean worked;

    TailSession(Connection connection, EventDatabase database, HighWaterMark mark, RecentEvents recent, Tailer tailer) {
        this.connection = connection;
        this.database = database;
        this.mark = mark;
        this.recent = recent;
        this.tailer = tailer;
        this.shut = new BlockedBarrier(connection, database.table());
    }

    boolean hasWorked() {
        return worked;
    }

    void run() throws SQLException {
        int networkTimeout = connection.getNetworkTimeout();
        try {
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ANSWER_TIME.toMillis()));
            connection.setAutoCommit(true);
            execute("LISTEN " + database.table().channel());
            follow();
        } catch (Throwable t) {
            leaveAfter(t, networkTimeout);
            throw t;
        }
        execute(LEAVE); // resets the session before it is returned to the pool
        mark.keepNow(connection);
        connection.setNetworkTimeout(Runnable::run, networkTimeout);
    }

    private void leaveAfter(Throwable failure, int networkTimeout) {
        try {
            execute(LEAVE); // causes an error that makes the pool drop the connection
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private void follow() throws SQLException {
        long lastMoved = System.nanoTime();
        while (tailer.isOpen()) {
            boolean moved = look();
            mark.keep(connection);
            worked = true;
            tailer.works();
            if (moved) {
                lastMoved = System.nanoTime();
            }
            if (System.nanoTime() - lastMoved < IDLE.toNanos()) {
                tailer.pause(PACE);
            } else {
                sleep();
            }
        }
    }

    /** Returns whether there are new events, or may soon be. */
    private boolean look() throws SQLException {
        OptionalLong end = mark.look(connection);
        if (end.isEmpty()) {
            tailer.pause(foundShut());
            return true;
        }
        shut.open();
        tailer.barrierOpen();
        return readUpTo(end.getAsLong());
    }

    private Duration foundShut() throws SQLException {
        Duration pause = shut.found();
        if (shut.shouldReport()) {
            tailer.barrierShut(shut.since(), given());
        }
        return pause;
    }

    /**
     * Reads the events up to that position into the buffer. A feed that lags too far, and each feed at first, reads the
     * table itself. Positions after the end were lost.
     */
    private boolean readUpTo(long end) throws SQLException {
        long from = recent.end()
                .filter(position -> position <= end && end - position <= RecentEvents.MAX_EVENTS)
                .orElse(-1L);
        if (from < 0) {
            recent.beginAt(end);
            return true;
        }
        for (long position = from; position < end && tailer.isOpen(); ) {
            SlotSlice slice = read(position, end);
            recent.add(position, slice);
            tailer.works();
            position = slice.to();
        }
        return from < end;
    }

    /** Reads in a transaction: without one, the driver would fetch all rows at once. */
    private SlotSlice read(long after, long end) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                Statements.plannedAnew(connection, database.table().in(EventReads.RANGE))) {
            MemoryBound bound = new MemoryBound();
            statement.setFetchSize(bound.fetch());
            statement.setLong(1, after);
            statement.setLong(2, end);
            statement.setInt(3, MAX_ROWS);
            try (ResultSet row = statement.executeQuery()) {
                return read(row, end, bound);
            }
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static SlotSlice read(ResultSet row, long end, MemoryBound bound) throws SQLException {
        List<StoredEvent> events = new ArrayList<>();
        while (row.next()) {
            StoredEvent event = StoredEvent.read(row);
            events.add(event);
            if (bound.test(event)) {
                break;
            }
            row.setFetchSize(bound.fetch());
        }
        boolean all = events.size() < MAX_ROWS && !bound.isReached();
        return new SlotSlice(events, all ? end : events.getLast().position());
    }

    /**
     * Waits while every assigned position is among the recent events. The mark does not show that, since other readers
     * move it as well.
     */
    private void sleep() throws SQLException {
        PGConnection server = connection.unwrap(PGConnection.class);
        execute(FALL_ASLEEP);
        server.getNotifications(); // discards earlier ones
        while (tailer.isOpen() && given() == recent.end().orElse(-1L) && !isNotified(server)) {
            worked = true;
            mark.keep(connection);
        }
        execute(WAKE_UP);
    }

    private long given() throws SQLException {
        long given = Statements.answer(connection, database.table().in(HighWaterMark.GIVEN), row -> row.getLong(1));
        tailer.works();
        return given;
    }

    /**
     * Returns whether a notification arrived; also returns from time to time without one, so that it ends soon after it
     * was closed.
     */
    private boolean isNotified(PGConnection server) throws SQLException {
        for (long waited = 0; waited < SLEEP.toMillis() && tailer.isOpen(); waited += LOOK_UP.toMillis()) {
            if (server.getNotifications(Math.toIntExact(LOOK_UP.toMillis())).length > 0) {
                return true;
            }
        }
        return false;
    }

    private void execute(String sql) throws SQLException {
        Statements.execute(connection, database.table().in(sql));
    }
}
