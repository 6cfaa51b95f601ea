package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The report of a projection: its state, segments, owners and parked aggregates. */
record ProjectionReport(ProjectionDatabase database) {
    private static final String STATE = """
            SELECT %s,
                (SELECT count(*) FROM @projection_parked_keys k WHERE k.projection = p.projection_name) AS parked_keys,
                (SELECT coalesce(sum(k.events), 0) FROM @projection_parked_keys k WHERE k.projection = p.projection_name)
                    AS parked_events,
                (SELECT count(*) FROM @projection_dead_letters d WHERE d.projection = p.projection_name) AS dead_letters
            FROM @projection_states p WHERE p.projection_name = ?""".formatted(StateTable.COLUMNS);

    private static final String SEGMENTS = """
            SELECT s.segment, s.epoch, s.position, s.owner, extract(epoch FROM s.lease_until - clock_timestamp()) AS lease_left
            FROM @projection_segments s WHERE s.projection = ? ORDER BY s.segment""";

    Optional<ProjectionDetails> of(String projection) {
        return database.inTransaction("showing projection '%s'".formatted(projection), transaction -> {
            StatementBatch trip = transaction.first();
            List<Totals> totals = trip.rows(STATE, p -> p.text(projection), Totals::read);
            List<ProjectionDetails.Segment> segments =
                    trip.rows(SEGMENTS, p -> p.text(projection), ProjectionReport::segment);
            trip.run();
            return totals.stream().findFirst().map(found -> found.with(segments));
        });
    }

    private record Totals(ProjectionState state, long parkedKeys, long parkedEvents, long deadLetters) {
        static Totals read(ResultSet row) throws SQLException {
            return new Totals(
                    StateTable.read(row),
                    row.getLong("parked_keys"),
                    row.getLong("parked_events"),
                    row.getLong("dead_letters"));
        }

        ProjectionDetails with(List<ProjectionDetails.Segment> segments) {
            return new ProjectionDetails(state, segments, parkedKeys, parkedEvents, deadLetters);
        }
    }

    /** Returns a segment; an expired lease has no owner. */
    private static ProjectionDetails.Segment segment(ResultSet row) throws SQLException {
        Optional<String> owner = Optional.ofNullable(row.getString("owner"));
        Optional<BigDecimal> left =
                Optional.ofNullable(row.getBigDecimal("lease_left")).filter(seconds -> seconds.signum() > 0);
        return new ProjectionDetails.Segment(
                row.getInt("segment"),
                row.getLong("epoch"),
                row.getLong("position"),
                left.flatMap(seconds -> owner),
                left.map(JdbcTimestamps::duration));
    }
}
