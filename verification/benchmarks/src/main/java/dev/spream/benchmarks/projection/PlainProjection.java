package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Parallel;
import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * A plain program without spream, limited to reading and writing: a thread and a connection for each share of the
 * accounts, chunks of events in order, the same statements for the same rows, and a commit a batch. It keeps no
 * position, does not recognise applied events, and stops at the first event that fails.
 */
record PlainProjection(DataSource database, int batch, int threads) {
    private static final int MIN_CHUNK = 1_000;
    private static final String READ = """
            SELECT position, event_id, aggregate_id, event_type, event_data, event_version, occurred_at
            FROM spream.events WHERE position > ? AND slot % ? = ? ORDER BY position LIMIT ?""";

    long run(Projection<Connection> projection) throws Exception {
        return Parallel.sum(
                Executors.newVirtualThreadPerTaskExecutor(), threads, share -> () -> apply(projection, share));
    }

    private long apply(Projection<Connection> projection, int share) throws Exception {
        long applied = 0;
        long position = 0;
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            while (true) {
                List<EventEnvelope> chunk = new ArrayList<>();
                position = read(connection, position, share, chunk);
                if (chunk.isEmpty()) {
                    connection.rollback();
                    return applied;
                }
                for (int from = 0; from < chunk.size(); from += batch) {
                    List<EventEnvelope> events = chunk.subList(from, Math.min(chunk.size(), from + batch));
                    applyBatch(projection, connection, events);
                    connection.commit();
                    applied += events.size();
                }
            }
        }
    }

    private static void applyBatch(Projection<Connection> projection, Connection connection, List<EventEnvelope> events)
            throws Exception {
        if (projection instanceof MultiRowProjection<Connection, ?> folding) {
            fold(folding, connection, events);
        } else {
            for (EventEnvelope event : events) {
                projection.apply(connection, event);
            }
        }
    }

    /** Writes rows in the order of their keys, since other threads may write the same ones. */
    private static <F> void fold(
            MultiRowProjection<Connection, F> projection, Connection connection, List<EventEnvelope> events)
            throws Exception {
        Map<String, F> rows = new TreeMap<>();
        for (EventEnvelope event : events) {
            projection.foldInto(rows, event);
        }
        projection.write(connection, rows);
    }

    private long read(Connection connection, long after, int share, List<EventEnvelope> chunk) throws SQLException {
        long position = after;
        try (PreparedStatement select = connection.prepareStatement(READ)) {
            select.setLong(1, after);
            select.setInt(2, threads);
            select.setInt(3, share);
            select.setInt(4, Math.max(batch, MIN_CHUNK));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    position = row.getLong(1);
                    chunk.add(new EventEnvelope(
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            row.getLong(6),
                            row.getTimestamp(7).toInstant(),
                            EventMetadata.NONE));
                }
            }
        }
        return position;
    }
}
