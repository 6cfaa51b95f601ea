package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The leases of segments. A transaction that writes effects locks the segment's row by {@code FOR KEY SHARE}: this
 * permits renewals of the lease, and prevents a takeover while effects are being written, however long ago the lease
 * expired.
 */
record SegmentLeases(ProjectionDatabase database) {
    /**
     * Registers an owner. Locks the state, which a drop of the version deletes first, so that the two do not deadlock.
     */
    private static final String REGISTER = """
            INSERT INTO @projection_owners (projection, owner, alive_until)
            SELECT p.projection_name, ?, clock_timestamp() + ? * interval '1 microsecond'
            FROM @projection_states p WHERE p.projection_name = ? FOR KEY SHARE
            ON CONFLICT (projection, owner) DO UPDATE SET alive_until = excluded.alive_until
            RETURNING owner""";

    /** Deletes expired owners in the order of their names, so that owners that delete the same rows do not deadlock. */
    private static final String FORGET = """
            DELETE FROM @projection_owners WHERE projection = ? AND owner IN (
                SELECT owner FROM @projection_owners WHERE projection = ? AND alive_until <= clock_timestamp()
                ORDER BY owner FOR UPDATE SKIP LOCKED)""";

    /** Counts the owners. Runs after the own row was written, so that it is included. */
    private static final String COUNT = """
            SELECT p.segments, (SELECT count(*) FROM @projection_owners o
                WHERE o.projection = p.projection_name AND o.alive_until > clock_timestamp()) AS owners
            FROM @projection_states p WHERE p.projection_name = ?""";

    /**
     * An owner keeps its segments until another owner has taken them over. The number of segments is that of the
     * snapshot in which the segments are found: a new split replaces all of their rows.
     */
    private static final String HOLD = """
            WITH mine AS MATERIALIZED (
                SELECT segment, segment = ANY (?::int[]) AS is_surplus FROM @projection_segments
                WHERE projection = ? AND owner = ? ORDER BY segment FOR NO KEY UPDATE
            ), open AS MATERIALIZED (
                SELECT segment FROM @projection_segments
                WHERE projection = ? AND (owner IS NULL OR owner <> ? AND lease_until <= clock_timestamp())
                    AND segment <> ALL (?::int[])
                ORDER BY segment
                LIMIT greatest(0, ? - (SELECT count(*) FROM mine WHERE NOT is_surplus)) FOR UPDATE SKIP LOCKED
            ), changed AS (
                SELECT segment, CASE WHEN is_surplus THEN 'freed' ELSE 'kept' END AS change FROM mine
                UNION ALL SELECT segment, 'taken' FROM open
            )
            UPDATE @projection_segments s SET
                owner = CASE changed.change WHEN 'freed' THEN NULL ELSE ? END,
                lease_until = CASE changed.change WHEN 'freed' THEN NULL
                    ELSE clock_timestamp() + ? * interval '1 microsecond' END,
                epoch = s.epoch + CASE changed.change WHEN 'taken' THEN 1 ELSE 0 END
            FROM changed WHERE s.projection = ? AND s.segment = changed.segment
            RETURNING s.segment, s.epoch, s.position, s.owner,
                (SELECT p.segments FROM @projection_states p WHERE p.projection_name = s.projection) AS segments""";

    private static final String LEAVE = """
            UPDATE @projection_segments s SET owner = NULL, lease_until = NULL
            FROM (SELECT segment FROM @projection_segments WHERE projection = ? AND owner = ?
                ORDER BY segment FOR NO KEY UPDATE) AS mine
            WHERE s.projection = ? AND s.segment = mine.segment""";

    private static final String UNREGISTER = "DELETE FROM @projection_owners WHERE projection = ? AND owner = ?";

    SegmentShare hold(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease) {
        String what = "holding segments of projection '%s'".formatted(projection);
        return database.inTransaction(what, transaction -> {
            Crowd crowd = join(transaction, projection, owner, JdbcTimestamps.micros(lease))
                    .orElseThrow(() -> ProjectionDatabase.unknown(what, projection));
            return crowd.segments() == 0
                    ? new SegmentShare(List.of(), 0, 0, crowd.owners())
                    : hold(transaction, projection, owner.toString(), giveUp, crowd, JdbcTimestamps.micros(lease));
        });
    }

    private record Crowd(int segments, int owners) {
        int fair() {
            return Math.ceilDiv(segments, Math.max(1, owners));
        }
    }

    private static Optional<Crowd> join(
            ProjectionTransaction transaction, String projection, ProjectionOwner owner, long leaseMicros)
            throws SQLException {
        StatementBatch trip = transaction.first();
        trip.rows(REGISTER, p -> p.text(owner.toString()).number(leaseMicros).text(projection), row -> row);
        trip.update(FORGET, p -> p.text(projection).text(projection));
        List<Crowd> crowd = trip.rows(
                COUNT, p -> p.text(projection), row -> new Crowd(row.getInt("segments"), row.getInt("owners")));
        trip.run();
        return crowd.stream().findFirst();
    }

    private record Held(Optional<SegmentLease> lease, int segments) {
        static Held read(ResultSet row) throws SQLException {
            boolean freed = row.getString("owner") == null;
            return new Held(
                    freed
                            ? Optional.empty()
                            : Optional.of(new SegmentLease(
                                    row.getInt("segment"), row.getLong("epoch"), row.getLong("position"))),
                    row.getInt("segments"));
        }
    }

    private static SegmentShare hold(
            ProjectionTransaction transaction,
            String projection,
            String owner,
            Set<Integer> giveUp,
            Crowd crowd,
            long leaseMicros)
            throws SQLException {
        List<Held> rows = transaction.rows(
                HOLD,
                p -> p.integers(giveUp)
                        .text(projection)
                        .text(owner)
                        .text(projection)
                        .text(owner)
                        .integers(giveUp)
                        .number(crowd.fair())
                        .text(owner)
                        .number(leaseMicros)
                        .text(projection),
                Held::read);
        int segments = rows.stream().findFirst().map(Held::segments).orElse(crowd.segments());
        List<SegmentLease> held = rows.stream()
                .flatMap(row -> row.lease().stream())
                .sorted(Comparator.comparingInt(SegmentLease::segment))
                .toList();
        Crowd now = new Crowd(segments, crowd.owners());
        return new SegmentShare(held, segments, now.fair(), crowd.owners());
    }

    void leave(String projection, ProjectionOwner owner) {
        database.inTransaction("releasing the segments of projection '%s'".formatted(projection), transaction -> {
            StatementBatch trip = transaction.first();
            trip.update(LEAVE, p -> p.text(projection).text(owner.toString()).text(projection));
            trip.update(UNREGISTER, p -> p.text(projection).text(owner.toString()));
            trip.run();
            return trip;
        });
    }
}
