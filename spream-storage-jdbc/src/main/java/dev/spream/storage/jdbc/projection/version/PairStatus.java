package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionStatus;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The status of both versions of a pair. Both may be stopped at any time until they are quiesced.
 *
 * @param error the last failure of the other version
 */
record PairStatus(ProjectionStatus live, ProjectionStatus other, Optional<String> error) {
    /** A missing state counts as not running. */
    private static final String STATUSES = """
            SELECT coalesce(l.status, 'FAILED') AS live, coalesce(o.status, 'FAILED') AS other, o.last_error
            FROM (SELECT ?::text AS live, ?::text AS other) AS a
            LEFT JOIN @projection_states l ON l.projection_name = a.live
            LEFT JOIN @projection_states o ON o.projection_name = a.other""";

    /** Adds the query, which returns one row. */
    static List<PairStatus> ask(StatementBatch trip, LiveAndCandidate pair) {
        return trip.rows(
                STATUSES,
                p -> p.text(pair.live().state()).text(pair.other().state()),
                row -> new PairStatus(
                        ProjectionStatus.valueOf(row.getString("live")),
                        ProjectionStatus.valueOf(row.getString("other")),
                        Optional.ofNullable(row.getString("last_error"))));
    }

    static PairStatus ask(ProjectionTransaction transaction, LiveAndCandidate pair) throws SQLException {
        StatementBatch trip = transaction.next();
        List<PairStatus> status = ask(trip, pair);
        trip.run();
        return status.getFirst();
    }

    /**
     * Checks that the other version can be made live. The live version may have failed, but must not be paused, because
     * the new live version runs.
     *
     * @throws IllegalStateException if it cannot be made live
     */
    void requireExchangeable(LiveAndCandidate pair) {
        requireFollowing(pair);
        if (live == ProjectionStatus.PAUSED) {
            throw new IllegalStateException("projection '%s' is PAUSED; nothing was changed: resume it, and try again"
                    .formatted(pair.projection()));
        }
    }

    /** @throws IllegalStateException if the other version cannot catch up with the live one */
    void requireFollowing(LiveAndCandidate pair) {
        if (other != ProjectionStatus.REBUILDING && other != ProjectionStatus.RUNNING) {
            throw pair.refusal("it is %s: %sresume '%s@%d', and try again"
                    .formatted(
                            other,
                            other == ProjectionStatus.FAILED ? fix() : "",
                            pair.projection(),
                            pair.other().version().version()));
        }
        pair.requirePrepared();
    }

    private String fix() {
        return error.map("fix its last failure (%s), "::formatted).orElse("");
    }
}
