package dev.spream.storage.jdbc.event;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A writer without regard to readers: it takes the next versions of a key under the lock of a row, inserts events, and
 * commits a moment later, or rolls back. Half of its transactions get their number long before they insert. If it takes
 * a second lock, on a contended row, it does so as often before as after its inserts.
 */
final class StressWriter implements Runnable {
    static final int KEYS = 20;

    private static final int MAX_EVENTS = 5;
    private static final double ROLLED_BACK = 0.05;
    private static final long MAX_PAUSE_NANOS = 3_000_000;

    private static final String NEXT_VERSION =
            "UPDATE stress_keys SET version = version + ? WHERE key = ? RETURNING version";
    private static final String INSERT = """
            INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
            SELECT format('%s/%s', ?::text, v), ?, v, 'Stressed', '{"of": "stress"}', ?
            FROM generate_series(?::bigint, ?::bigint) AS v ORDER BY v""";

    private final String url;
    private final Random random;
    private final AtomicLong committed;
    private final AtomicLong transactions;
    private final long target;
    private final boolean locksMore;

    StressWriter(String url, long seed, AtomicLong committed, AtomicLong transactions, long target, boolean locksMore) {
        this.url = url;
        this.random = new Random(seed);
        this.committed = committed;
        this.transactions = transactions;
        this.target = target;
        this.locksMore = locksMore;
    }

    /** The rows whose locks give the versions out. */
    static final String[] TABLE = {
        "CREATE TABLE stress_keys (key text PRIMARY KEY, version bigint NOT NULL) WITH (fillfactor = 20)",
        "INSERT INTO stress_keys SELECT 'key' || n, 0 FROM generate_series(1, %d) AS n".formatted(KEYS),
        "CREATE TABLE stress_rows AS SELECT n, 0 AS value FROM generate_series(1, 3) AS n"
    };

    @Override
    public void run() {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            while (committed.get() < target) {
                write(connection);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void write(Connection connection) throws SQLException {
        if (random.nextBoolean()) {
            execute(connection, "SELECT pg_current_xact_id()");
            pause();
        }
        String key = "key" + (1 + random.nextInt(KEYS));
        int count = 1 + random.nextInt(MAX_EVENTS);
        long last = nextVersion(connection, key, count);
        boolean locksBefore = random.nextBoolean();
        if (locksMore && locksBefore) {
            lockRow(connection);
        }
        insert(connection, key, last - count + 1, last);
        if (locksMore && !locksBefore) {
            lockRow(connection);
        }
        pause();
        if (random.nextDouble() < ROLLED_BACK) {
            connection.rollback();
        } else {
            connection.commit();
            committed.addAndGet(count);
        }
        transactions.incrementAndGet();
    }

    private void lockRow(Connection connection) throws SQLException {
        execute(connection, "UPDATE stress_rows SET value = value + 1 WHERE n = " + (1 + random.nextInt(3)));
    }

    private void pause() {
        LockSupport.parkNanos(random.nextLong(MAX_PAUSE_NANOS));
    }

    private static long nextVersion(Connection connection, String key, int count) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEXT_VERSION)) {
            statement.setInt(1, count);
            statement.setString(2, key);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void insert(Connection connection, String key, long first, long last) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, key);
            statement.setString(2, key);
            statement.setObject(3, OffsetDateTime.now(Clock.systemUTC()));
            statement.setLong(4, first);
            statement.setLong(5, last);
            statement.executeUpdate();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
