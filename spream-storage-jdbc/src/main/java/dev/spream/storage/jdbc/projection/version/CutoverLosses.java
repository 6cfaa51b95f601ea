package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.CutoverReport;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;

/** Counts the events that a cutover would lose, while both versions are quiesced at the same positions. */
final class CutoverLosses {
    private static final String WITHOUT_EFFECTS = """
            SELECT count(*) AS lost FROM @projection_parked_keys p
            JOIN @projection_keys old ON old.projection = p.projection AND old.key = p.key
            WHERE p.projection = ? AND EXISTS (
                SELECT FROM @projection_parked_events e
                LEFT JOIN @projection_parked_events kept
                    ON kept.projection = ? AND kept.key = e.key AND kept.event_version = e.event_version
                WHERE e.projection = p.projection AND e.key = p.key AND kept.key IS NULL
                    AND e.event_version > greatest(old.last_version, p.followed))""";

    private static final String PARKED = """
            SELECT count(*) AS lost FROM @projection_parked_keys p
            JOIN @projection_keys new ON new.projection = p.projection AND new.key = p.key
            JOIN @projection_keys old ON old.projection = ? AND old.key = p.key
            WHERE p.projection = ? AND old.last_version > new.last_version""";

    private static final String SKIPPED = """
            SELECT count(*) AS lost FROM @projection_dead_letters d
            WHERE d.projection = ? AND d.kind = 'SKIPPED'
                AND NOT EXISTS (
                    SELECT FROM @projection_dead_letters o
                    WHERE o.projection = ? AND o.kind = 'SKIPPED'
                        AND o.aggregate_id = d.aggregate_id AND o.event_version = d.event_version)
                AND NOT EXISTS (
                    SELECT FROM @projection_parked_keys p
                    JOIN @projection_parked_events e ON e.projection = p.projection AND e.key = p.key
                    WHERE p.projection = ? AND p.aggregate_id = d.aggregate_id AND e.event_version = d.event_version)""";

    private CutoverLosses() {}

    static CutoverReport.Losses count(ProjectionTransaction transaction, LiveAndCandidate pair) throws SQLException {
        String live = pair.live().state();
        String other = pair.other().state();
        StatementBatch trip = transaction.next();
        List<Long> withoutEffects =
                trip.rows(WITHOUT_EFFECTS, p -> p.text(live).text(other), row -> row.getLong("lost"));
        List<Long> parked = trip.rows(PARKED, p -> p.text(live).text(other), row -> row.getLong("lost"));
        List<Long> skipped = trip.rows(SKIPPED, p -> p.text(other).text(live).text(live), row -> row.getLong("lost"));
        trip.run();
        boolean effects = pair.live().code().effects() || pair.other().code().effects();
        return new CutoverReport.Losses(
                effects ? withoutEffects.getFirst() : 0,
                parked.getFirst(),
                skipped.getFirst(),
                pair.live().version().leftOutBy(pair.other().version()));
    }
}
