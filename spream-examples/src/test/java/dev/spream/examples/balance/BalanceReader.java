package dev.spream.examples.balance;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Reads balances all the time, by plain SQL as any reader does, and how far the versions are. What must never be seen ends it: a read
 * model that is empty, in parts or older than before; a version that goes back, or is ahead of the live one.
 */
final class BalanceReader implements AutoCloseable {
    private static final String BALANCES =
            "SELECT count(*), coalesce(sum(movements), 0), coalesce(sum(balance), 0) FROM account_balances";
    private static final String AHEAD = """
            SELECT o.segment, o.position, l.position
            FROM spream.projection_versions live
            JOIN spream.projection_segments l ON l.projection = live.state
            JOIN spream.projection_versions other ON other.projection = live.projection AND other.role <> 'LIVE'
            JOIN spream.projection_segments o ON o.projection = other.state AND o.segment = l.segment
            WHERE live.role = 'LIVE' AND o.position > l.position""";
    private static final String BUILT = """
            SELECT count(*), coalesce(sum(position), 0) FROM spream.projection_segments
            WHERE projection = 'account_balances@2'""";

    private static final long PAUSE_NANOS = 30_000_000;

    private final DataSource database;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<?> reading;
    private final AtomicLong reads = new AtomicLong();
    private volatile long movements;
    private volatile boolean stopped;

    /** Begins at once: all accounts have to be there. */
    BalanceReader(DataSource database) {
        this.database = database;
        this.reading = thread.submit(this::read);
    }

    private Void read() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            List<Long> built = List.of(0L, 0L);
            while (!stopped) {
                readBalances(statement);
                List<Long> ahead = numbers(statement, AHEAD, 3);
                require(ahead.isEmpty(), "a version is ahead of the live one, by segment and positions: " + ahead);
                List<Long> now = numbers(statement, BUILT, 2);
                require(
                        now.getFirst() < built.getFirst() || now.getLast() >= built.getLast(),
                        "version 2 went back from %s to %s".formatted(built, now));
                built = now;
                reads.incrementAndGet();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return null;
    }

    private void readBalances(Statement statement) throws SQLException {
        List<Long> row = numbers(statement, BALANCES, 3);
        require(row.getFirst() == SteadyMovements.ACCOUNTS, "%d accounts".formatted(row.getFirst()));
        require(row.get(1) >= movements, "%d movements after %d".formatted(row.get(1), movements));
        require(Math.floorMod(row.get(2) - row.get(1), 1_000) == 0, "balances that no movements come to: " + row);
        movements = row.get(1);
    }

    private static void require(boolean holds, String seen) {
        if (!holds) {
            throw new AssertionError("a reader saw what must not be: " + seen);
        }
    }

    /** The first row's; empty if there is none. */
    private static List<Long> numbers(Statement statement, String sql, int columns) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            if (rows.next()) {
                numbers.add(rows.getLong(1));
                for (int i = 2; i <= columns; i++) {
                    numbers.add(rows.getLong(i));
                }
            }
        }
        return numbers;
    }

    /** Returns the last number of movements it read. Fails if it has ended. */
    long movements() throws Exception {
        requireReading();
        return movements;
    }

    /** Returns how often it has read everything. */
    long reads() {
        return reads.get();
    }

    void requireReading() throws Exception {
        if (reading.isDone()) {
            reading.get();
        }
    }

    /** Fails if it saw what must not be. */
    void stop() throws Exception {
        stopped = true;
        reading.get();
    }

    @Override
    public void close() {
        stopped = true;
        thread.shutdown();
    }
}
