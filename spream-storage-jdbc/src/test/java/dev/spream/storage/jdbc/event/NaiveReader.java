package dev.spream.storage.jdbc.event;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Reads as is often advised, and wrong: behind the last position; or in the order of transactions, those that are over. Both
 * only look back as far as transactions of this test can be open.
 */
final class NaiveReader implements Runnable {
    private static final long PAUSE_NANOS = 10_000_000;
    private static final int LIMIT = 5_000;
    private static final long OPEN_FOR = 5_000;

    private static final String BY_POSITION = """
            SELECT 0::bigint AS transaction, position, aggregate_id, event_version FROM spream.events
            WHERE position > ? AND ?::bigint = 0 ORDER BY position LIMIT %d""".formatted(LIMIT);

    private static final String BY_TRANSACTION = """
            SELECT xmin::text::bigint AS transaction, position, aggregate_id, event_version FROM spream.events
            WHERE position > ? - %d AND (xmin::text::bigint, position) > (?, ?)
                AND xmin::text::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            ORDER BY 1, 2 LIMIT %d""".formatted(OPEN_FOR, LIMIT);

    private final String url;
    private final boolean byTransaction;
    private final BooleanSupplier writersAreDone;
    private final Deliveries deliveries = new Deliveries();
    private long transaction;
    private long position;
    private long highest;

    NaiveReader(String url, boolean byTransaction, BooleanSupplier writersAreDone) {
        this.url = url;
        this.byTransaction = byTransaction;
        this.writersAreDone = writersAreDone;
    }

    Deliveries deliveries() {
        return deliveries;
    }

    /** Until there is nothing more after the writers are done. */
    @Override
    public void run() {
        try (Connection connection = DriverManager.getConnection(url)) {
            boolean done = false;
            while (!done) {
                boolean last = writersAreDone.getAsBoolean();
                done = read(connection) == 0 && last;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int read(Connection connection) throws SQLException {
        int count = 0;
        try (PreparedStatement statement = connection.prepareStatement(byTransaction ? BY_TRANSACTION : BY_POSITION)) {
            statement.setLong(1, byTransaction ? highest : position);
            statement.setLong(2, transaction);
            if (byTransaction) {
                statement.setLong(3, position);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    transaction = row.getLong("transaction");
                    position = row.getLong("position");
                    highest = Math.max(highest, position);
                    deliveries.add(row.getString("aggregate_id"), row.getLong("event_version"));
                    count++;
                }
            }
        }
        return count;
    }
}
