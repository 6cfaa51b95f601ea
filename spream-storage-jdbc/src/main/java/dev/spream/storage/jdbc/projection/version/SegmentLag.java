package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The segment that is furthest behind the live version.
 *
 * @param held whether an owner has its lease
 * @param rate the rate of the version, in events per second; 0 if it was not measured
 */
record SegmentLag(int segment, long positions, boolean held, double rate) {
    private static final String BEHIND = """
            SELECT l.segment, l.position - o.position AS behind,
                o.owner IS NOT NULL AND o.lease_until > clock_timestamp() AS held, v.rate
            FROM @projection_segments l JOIN @projection_segments o ON o.segment = l.segment
            JOIN @projection_versions v ON v.state = o.projection
            WHERE l.projection = ? AND o.projection = ? AND l.position > o.position
            ORDER BY behind DESC, l.segment LIMIT 1""";

    /** Adds the query; it returns no row if no segment is behind. */
    static List<SegmentLag> ask(StatementBatch trip, LiveAndCandidate pair) {
        return trip.rows(
                BEHIND,
                p -> p.text(pair.live().state()).text(pair.other().state()),
                row -> new SegmentLag(
                        row.getInt("segment"), row.getLong("behind"), row.getBoolean("held"), row.getDouble("rate")));
    }

    static Optional<SegmentLag> find(ProjectionTransaction transaction, LiveAndCandidate pair) throws SQLException {
        StatementBatch trip = transaction.next();
        List<SegmentLag> behind = ask(trip, pair);
        trip.run();
        return behind.stream().findFirst();
    }

    IllegalStateException refusal(LiveAndCandidate pair) {
        String where = "segment %d is %,d positions behind, and ".formatted(segment, positions);
        return pair.refusal(
                held
                        ? where + "is catching up; try again later, or with a longer timeout"
                        : where
                                + "no process works on it: run the projection with code of revision %d, and try again when it has caught up"
                                        .formatted(pair.other().version().revision()));
    }
}
